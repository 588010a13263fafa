"""What scripts ask of what computes elsewhere. Nothing does."""

from __future__ import annotations


class _Absent:
    """Something that is not there. Whatever is set has no effect."""

    def is_available(self) -> bool:
        """Never."""
        return False

    def is_built(self) -> bool:
        """Never."""
        return False


class _Cudnn(_Absent):
    """Settings of what is not there."""

    enabled = False
    benchmark = False
    deterministic = True


cuda = _Absent()
mps = _Absent()
cudnn = _Cudnn()
