"""What goes wrong, as exceptions that carry the list of diagnostics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .results import Run


@dataclass(frozen=True)
class Diagnostic:
    """One thing that Cardan has to say about a model or a run.

    ``id`` is stable; ``cardan explain ID`` tells more about it.
    """

    id: str
    severity: str
    found: str
    expected: str = ""
    hint: str = ""
    element: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    t: float | None = None

    @staticmethod
    def from_json(item: dict[str, Any]) -> Diagnostic:
        known = {k: v for k, v in item.items() if k in Diagnostic.__dataclass_fields__}
        known.setdefault("found", "")
        return Diagnostic(**known)

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        text = f"{place}{self.severity} [{self.id}] "
        text += f"{self.element}: " if self.element else ""
        text += self.found
        text += f"; expected {self.expected}" if self.expected else ""
        text += f" ({self.hint})" if self.hint else ""
        return text


class Error(Exception):
    """Something that Cardan refuses or cannot do. ``diagnostics`` tells all of it."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)


class ModelError(Error, ValueError):
    """A model, or what is asked of it, that has faults: all of them, not the first."""


class RunError(Error):
    """A run that failed. What it computed before is in ``run``."""

    def __init__(self, diagnostics: Sequence[Diagnostic], run: Run | None = None) -> None:
        super().__init__(diagnostics)
        self.run = run

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics, self.run)


class DoubtfulWarning(UserWarning):
    """A run that ended, but does not trust its own results."""


def diagnostics_from(items: list[dict[str, Any]]) -> list[Diagnostic]:
    return [Diagnostic.from_json(item) for item in items]


MODEL_FAULTS = {"usage", "syntax", "model"}


def first_kind(found: Sequence[Diagnostic]) -> str:
    """The group of the first error: what stands before the dot of its id."""
    return next((d.id.split(".")[0] for d in found if d.severity == "error"), "")


def exception(text: str) -> Error:
    """What the program raises for its diagnostics, given as JSON."""
    found = diagnostics_from(json.loads(text))
    return ModelError(found) if first_kind(found) in {*MODEL_FAULTS, "assembly", "limit"} else Error(found)

