"""Type stubs of modules that are made with pairbond: `python -m pairbond stubs MODULE`."""

from pairbond._stubs.render import stub

__all__ = ["stub"]
