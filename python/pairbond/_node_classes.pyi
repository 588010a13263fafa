from collections.abc import Callable
from typing import TypeVar

from pairbond._pairbond import Object

_C = TypeVar("_C", bound=type[Object])

def class_for(of: type[Object], name: str) -> Callable[[_C], _C]: ...
