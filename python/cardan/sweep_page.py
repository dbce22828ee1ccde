"""The page of a sweep: points in a plot, each of which opens its animation, two of them beside each other."""

from __future__ import annotations

import itertools
import json
import math
import os
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import Diagnostic, ModelError

if TYPE_CHECKING:
    from .sweep import Sweep


def extremes(sweep: Sweep) -> list[int]:
    """The points with the least and the largest value of each measure."""
    found: list[int] = []
    for name in sweep.measures:
        known = [(float(x), int(n)) for x, n in zip(sweep[name], sweep.numbers, strict=True) if math.isfinite(x)]
        if known:
            found += [min(known)[1], max(known)[1]]
    return sorted(set(found))


def write_page(sweep: Sweep, path: str | os.PathLike[str], points: Sequence[int] | None = None) -> list[int]:
    """Writes the page and, beside it, the reports of these points and of each two of them. Returns the points."""
    target = pathlib.Path(path)
    chosen = extremes(sweep) if points is None else sorted({int(p) for p in points})
    known = {int(n) for n in sweep.numbers}
    for number in chosen:
        if number not in known:
            text = f"one of 0 to {max(known, default=0)}, as far as they are done"
            raise ModelError([Diagnostic("usage.bad-value", "error", f"point {number}", text)])
    status = dict(zip(map(int, sweep.numbers), sweep.status, strict=True))
    chosen = [n for n in chosen if status[n] != "failed"]
    folder = target.with_name(target.stem + "-points")
    if chosen:
        folder.mkdir(parents=True, exist_ok=True)
    runs = {number: sweep.rerun(number) for number in chosen}
    for number, run in runs.items():
        run.report(folder / f"{number}.html")
    for first, second in itertools.combinations(chosen, 2):
        runs[first].report(folder / f"{first}-{second}.html", other=runs[second])
    target.write_text(_page(sweep, chosen, folder.name if chosen else ""), encoding="utf-8")
    return chosen


def _page(sweep: Sweep, reports: list[int], folder: str) -> str:
    names = sweep.parameters + sweep.measures
    data: dict[str, Any] = {
        "title": f"Sweep of {os.path.basename(os.path.dirname(sweep.about['model']['path'])) or sweep.about['model']['path']}",
        "folder": sweep.folder,
        "parameters": sweep.parameters,
        "measures": sweep.measures,
        "units": sweep.units,
        "points": [int(n) for n in sweep.numbers],
        "status": sweep.status,
        "causes": sweep.causes,
        "columns": {n: [float(x) if math.isfinite(x) else None for x in sweep[n]] for n in names},
        "reports": reports,
        "points_folder": folder,
    }
    template = pathlib.Path(__file__).with_name("sweep_page.html").read_text(encoding="utf-8")
    text = json.dumps(data).replace("<", "\\u003c")
    return template.replace("@DATA@", text)


__all__ = ["extremes", "write_page"]
