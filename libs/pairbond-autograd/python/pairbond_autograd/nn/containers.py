"""Modules in order, or under names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, Self, cast

from ._sequences import place_of
from .module import Module, indented


class _InOrder(Module):
    """Modules with numbers for names, or others."""

    def _all(self) -> list[Any]:
        return [*self._modules.values()]

    def _name(self, index: Any) -> str:
        return [*self._modules][place_of(index, len(self))]

    def _number_anew(self, modules: Iterable[Any]) -> None:
        self._modules.clear()
        self._modules.update({str(number): module for number, module in enumerate(modules)})

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name(index), module)

    def __delitem__(self, index: int | slice) -> None:
        gone = [*self._modules][index] if isinstance(index, slice) else [self._name(index)]
        for name in gone:
            del self._modules[name]
        self._number_anew(self._all())

    def append(self, module: Module) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds modules at the end."""
        for module in [*modules]:
            self.append(module)
        return self

    def pop(self, index: int | slice) -> Any:
        """Takes a module out."""
        module = self[index]  # type: ignore[index]
        del self[index]
        return module

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]


class Sequential(_InOrder):
    """One after the other."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        pairs: Iterable[tuple[Any, Module]] = args[0].items() if named else enumerate(args)
        for name, module in pairs:
            self.add_module(cast(str, name if named else str(name)), module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict([*self._modules.items()][index]))
        return self._modules[self._name(index)]

    def insert(self, index: int, module: Module) -> Self:
        """Puts a module before another."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = self._all()
        modules.insert(index, module)
        self._number_anew(modules)
        return self

    def _with(self, other: Any, what: str) -> list[Any]:
        if not isinstance(other, Sequential):
            raise ValueError(f"{what} operator supports only objects of Sequential class, but {type(other)} is given.")
        return [*self, *other]

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self._with(other, "add"))

    def __iadd__(self, other: Sequential) -> Self:
        self._number_anew(self._with(other, "add"))
        return self

    def _times(self, number: Any) -> list[Any]:
        if not isinstance(number, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(number)}")
        if number <= 0:
            raise ValueError(f"Non-positive multiplication factor {number} for {type(self)}")
        return self._all() * number

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        self._number_anew(self._times(other))
        return self


class ModuleList(_InOrder):
    """Modules that somebody else calls."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self._all()[index])
        return self._modules[self._name(index)]

    def extend(self, modules: Iterable[Module]) -> Self:
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        return super().extend(modules)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Module) -> None:
        """Puts a module before another."""
        modules = self._all()
        modules.insert(index, module)
        self._number_anew(modules)

    def _child_lines(self) -> list[str]:
        """Neighbours that look the same are said once."""
        groups: list[tuple[int, int, str]] = []
        for number, text in enumerate(map(repr, self)):
            if groups and groups[-1][2] == text:
                groups[-1] = (groups[-1][0], number, text)
            else:
                groups.append((number, number, text))
        return [
            indented(f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}")
            for first, last, text in groups
        ]

    def __repr__(self) -> str:
        return super().__repr__() if len(self) else f"{self._get_name()}()"
