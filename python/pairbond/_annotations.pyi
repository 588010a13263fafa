"""What annotations of native types that are defined in Python mean; for `pairbond._define` only."""

from typing import Any

def remember(cls: type) -> None: ...

Reader: Any
