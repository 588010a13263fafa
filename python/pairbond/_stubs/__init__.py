"""Type stubs of modules that are made with pairbond: `python -m pairbond stubs MODULE`."""

from pairbond._stubs.render import modules_inside, stub

__all__ = ["modules_inside", "stub"]
