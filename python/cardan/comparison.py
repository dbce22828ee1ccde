"""One model by many methods: what each costs, and how far it is from the truth."""

from __future__ import annotations

import html
from typing import Any

_COLUMNS = ("formulation", "integrator", "order", "rtol", "step", "status", "error", "drift", "energy", "evaluations", "steps", "cpu")


class Comparison:
    """What ``Model.compare`` found. ``print`` shows all of it.

    ``advice`` says what to use, ``recommended`` is that trial; ``ranking`` has one trial a method, the cheapest that
    meets the accuracy first, ``trials`` all of them. ``present`` is the model's own method.
    """

    def __init__(self, facts: dict[str, Any], text: str) -> None:
        self._text = text
        self.facts = facts
        self.advice: str = facts["advice"]
        self.accuracy: float = facts["accuracy"]
        self.recommended: dict[str, Any] | None = facts.get("recommended")
        self.present: dict[str, Any] | None = facts.get("present")
        self.ranking: list[dict[str, Any]] = facts["ranking"]
        self.trials: list[dict[str, Any]] = facts["trials"]

    def __len__(self) -> int:
        return len(self.trials)

    def options(self) -> dict[str, Any]:
        """The recommended method as options of ``run``; empty where none meets the accuracy."""
        best = self.recommended or {}
        given: dict[str, Any] = {key: best[key] for key in ("formulation", "integrator", "order", "rtol", "step") if key in best}
        if given.get("integrator") == "auto":
            del given["integrator"]
        return given

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each trial; errors are relative, drifts in m, energies in J, times in s."""
        import pandas

        return pandas.DataFrame([_row(t) for t in self.trials], columns=list(_COLUMNS))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<cardan.Comparison of {len(self)} trials: {self.advice.splitlines()[0] if self.advice else ''}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def _row(trial: dict[str, Any]) -> dict[str, Any]:
    return {
        **{key: trial.get(key) for key in ("formulation", "integrator", "order", "rtol", "step", "status", "evaluations", "steps")},
        "error": trial.get("error", {}).get("relative"),
        "drift": trial.get("drift", {}).get("position"),
        "energy": trial.get("energy_imbalance"),
        "cpu": trial.get("cpu_seconds"),
    }


__all__ = ["Comparison"]
