import os
from types import ModuleType

def load(path: str | os.PathLike[str]) -> ModuleType: ...
