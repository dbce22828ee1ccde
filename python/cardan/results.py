"""Results of runs: channels as NumPy arrays, tables, plots, reports."""

from __future__ import annotations

import builtins
import difflib
import fnmatch
import html
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import Diagnostic, Error, diagnostics_from

Progress = Callable[[float, float, float], None]


@dataclass(frozen=True)
class Channel:
    """What a column of a run is: its name and unit, whose it is, and what it means."""

    name: str
    unit: str
    element: str
    quantity: str


class Signal(np.ndarray[Any, np.dtype[np.float64]]):
    """The values of a channel: a NumPy array with ``name``, ``unit`` and the times ``t``."""

    name: str
    unit: str
    t: NDArray[np.float64] | None

    def __new__(cls, values: NDArray[np.float64], t: NDArray[np.float64], name: str, unit: str) -> Signal:
        signal = values.view(cls)
        signal.name, signal.unit, signal.t = name, unit, t
        return signal

    def __array_finalize__(self, other: Any) -> None:
        self.name = getattr(other, "name", "")
        self.unit = getattr(other, "unit", "")
        t = getattr(other, "t", None)
        self.t = t if t is not None and self.shape == t.shape else None

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if isinstance(found, Signal):
            found.t = self.t[key] if self.t is not None else None
        return found

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **how: Any) -> Any:
        """Results whose unit is known keep it; others are plain arrays."""
        out = how.get("out")
        if out is not None:
            how["out"] = tuple(np.asarray(x) if isinstance(x, Signal) else x for x in out)
        plain = [np.asarray(x) if isinstance(x, Signal) else x for x in inputs]
        found = getattr(ufunc, method)(*plain, **how)
        unit = _unit_of(ufunc, method, inputs)
        if out is not None or unit is None or not isinstance(found, np.ndarray) or found.shape != self.shape:
            return found
        first = next((x for x in inputs if isinstance(x, Signal) and x.t is not None), self)
        signal: Signal = found.view(Signal)
        signal.name, signal.unit, signal.t = "", unit, first.t
        return signal

    def __reduce__(self) -> Any:
        return _signal, (np.asarray(self), self.t, self.name, self.unit)


_KEEP = {np.negative, np.positive, np.absolute, np.fabs, np.rint, np.floor, np.ceil, np.trunc}
_SAME = {np.add, np.subtract, np.maximum, np.minimum, np.fmax, np.fmin}


def _unit_of(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...]) -> str | None:
    """The unit of a result; ``None``: it does not follow from one unit alone."""
    units = [x.unit for x in inputs if isinstance(x, Signal)]
    if method == "accumulate" and ufunc in _SAME:
        return units[0]
    if method != "__call__":
        return None
    if ufunc in _KEEP or (ufunc in _SAME and len(set(units)) == 1):
        return units[0]
    # Times or over a plain number.
    plain = [x for x in inputs if not isinstance(x, Signal)]
    if ufunc is np.multiply and len(plain) == 1 and np.ndim(plain[0]) == 0:
        return units[0]
    if ufunc is np.true_divide and isinstance(inputs[0], Signal) and plain and np.ndim(plain[0]) == 0:
        return units[0]
    return None


def _signal(values: NDArray[np.float64], t: NDArray[np.float64], name: str, unit: str) -> Signal:
    return Signal(values, t, name, unit)


class Channels(Mapping[str, Channel]):
    """The channels of a run by name; ``search`` finds some by a pattern or a word."""

    def __init__(self, channels: list[Channel]) -> None:
        self._list = channels
        self._place = {c.name: k for k, c in enumerate(channels)}

    def __getitem__(self, name: str) -> Channel:
        return self._list[self.place(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._list)

    def place(self, name: str) -> int:
        if name in self._place:
            return self._place[name]
        near = difflib.get_close_matches(name, self._place, 3)
        hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
        raise KeyError(f"no channel {name!r}{hint}")

    def search(self, words: str) -> list[str]:
        """Names that match a pattern with * and ?, or contain the words."""
        if any(c in words for c in "*?"):
            return [name for name in self._place if fnmatch.fnmatchcase(name, words)]
        return [name for name in self._place if words.lower() in name.lower()]

    def __repr__(self) -> str:
        return "\n".join(f"{c.name}  [{c.unit}]  {c.quantity}" for c in self._list)


class Run:
    """The results of a run, in memory or in a folder.

    ``run["crank.angle"]`` is the last analysis' channel of that name; ``run.analyses[0]`` has those of
    an earlier one.
    """

    def __init__(self, data: _core.MemoryRun | _core.StoredRun, segment: int | None = None) -> None:
        self._data = data
        self._memory = isinstance(data, _core.MemoryRun)
        self._segment = segment
        self._load()

    def _load(self) -> None:
        count = self._data.segments()
        self._k = count - 1 if self._segment is None else self._segment
        found = json.loads(self._data.channels(self._k)) if count else []
        self.channels = Channels([Channel(*c) for c in found])
        self._columns: dict[str, Signal] = {}
        self._t: NDArray[np.float64] | None = None
        summary = json.loads(self._data.summary())
        self.summary: dict[str, Any] = summary or {"status": "running", "diagnostics": []}

    # ---- what it says of itself

    @property
    def status(self) -> str:
        """complete, doubtful, failed, interrupted or running."""
        return str(self.summary["status"])

    @property
    def doubtful(self) -> bool:
        return any(s.get("status") == "doubtful" for s in [self.summary, *self.summary.get("earlier", [])])

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return diagnostics_from(self.summary.get("diagnostics", []))

    @property
    def manifest(self) -> dict[str, Any]:
        """What the run was made from: model, settings, versions, machine."""
        return dict(json.loads(self._data.manifest()))

    @property
    def events(self) -> list[dict[str, Any]]:
        return list(json.loads(self._data.events(self._k))) if self._data.segments() else []

    @property
    def analyses(self) -> list[Run]:
        """The run once for each of its analyses, in order."""
        return [Run(self._data, k) for k in range(self._data.segments())]

    @property
    def folder(self) -> str | None:
        """Where it is stored; ``None``: in memory."""
        return None if isinstance(self._data, _core.MemoryRun) else os.path.dirname(self._data.path()) or "."

    def refresh(self) -> Run:
        """Looks at the folder again: a run that is being written has grown."""
        if isinstance(self._data, _core.StoredRun):
            self._data.refresh()
            self._load()
        return self

    # ---- numbers

    @property
    def t(self) -> NDArray[np.float64]:
        """The times of the rows, in seconds."""
        if self._t is None:
            self._t = np.asarray(self._data.t(self._k)) if self._data.segments() else np.empty(0)
        return self._t

    def __getitem__(self, name: str) -> Signal:
        if name not in self._columns:
            place = self.channels.place(name)
            if isinstance(self._data, _core.MemoryRun):
                values = np.asarray(self._data.rows(self._k))[:, place]
            else:
                values = np.asarray(self._data.column(self._k, place))
            self._columns[name] = Signal(values, self.t, name, self.channels[name].unit)
        return self._columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self.channels

    def error_estimate(self, name: str) -> NDArray[np.float64] | None:
        """The estimated errors of a channel (``error_estimate=True``); ``None``: there are none."""
        place = self.channels.place(name)
        if isinstance(self._data, _core.MemoryRun):
            rows = self._data.estimates(self._k)
            return None if rows is None else np.asarray(rows)[:, place]
        column = self._data.estimate(self._k, place)
        return None if column is None else np.asarray(column)

    def to_pandas(self, *patterns: str) -> Any:
        """A DataFrame over time, of all channels or those that match; units in its ``attrs``."""
        import pandas

        names = self._chosen(patterns)
        frame = pandas.DataFrame({n: np.asarray(self[n]) for n in names}, index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = {n: self.channels[n].unit for n in names}
        return frame

    def to_xarray(self, *patterns: str) -> Any:
        """A Dataset over time with units."""
        import xarray

        data = {n: ("t", np.asarray(self[n]), {"units": self.channels[n].unit}) for n in self._chosen(patterns)}
        return xarray.Dataset(data, coords={"t": ("t", self.t, {"units": "s"})})

    def _chosen(self, patterns: tuple[str, ...]) -> list[str]:
        if not patterns:
            return list(self.channels)
        chosen: list[str] = []
        for pattern in patterns:
            found = self.channels.search(pattern) if any(c in pattern for c in "*?") else [pattern]
            if not found:
                raise KeyError(f"no channel matches {pattern!r}")
            chosen += [name for name in found if name not in chosen]
        return chosen

    def plot(self, *patterns: str, x: str | None = None, ax: Any = None) -> Any:
        """Draws channels over time, or over another channel; those of one unit share an axis."""
        import matplotlib.pyplot as plt

        names = self._chosen(patterns)
        if not names:
            raise ValueError("no channels yet; there is nothing to draw")
        units = list(dict.fromkeys(self.channels[n].unit for n in names))
        axes: list[Any] = [ax] * len(units)
        if ax is None:
            axes = list(plt.subplots(len(units), 1, sharex=True, squeeze=False)[1][:, 0])
        across = self.t if x is None else np.asarray(self[x])
        for name in names:
            axes[units.index(self.channels[name].unit)].plot(across, np.asarray(self[name]), label=name)
        for one, unit in zip(axes, units, strict=True):
            one.set_ylabel(unit)
            one.legend()
        axes[-1].set_xlabel("t / s" if x is None else f"{x} / {self.channels[x].unit}")
        return axes[0] if len(axes) == 1 else axes

    # ---- files

    def save(
        self, folder: str | os.PathLike[str], *, force: bool = False, csv: bool = False, report: bool = True
    ) -> Run:
        """Writes a run that is in memory to a folder, and gives the stored one."""
        if not isinstance(self._data, _core.MemoryRun):
            raise ValueError(f"the run is stored already: {self.folder}")
        return open(self._data.save(os.fspath(folder), force, csv, report))

    def report(self, path: str | os.PathLike[str] | None = None, *, other: Run | None = None, full: bool = False) -> str:
        """The animated report as one HTML page, of this run or of two beside each other.

        With ``path`` it is written there. Returns the page.
        """
        with _stored(self) as folder, _stored(other) as second:
            page = _core.report_html(folder or "", second or "", full)
        if path is not None:
            with builtins.open(path, "w", encoding="utf-8") as stream:
                stream.write(page)
        return page

    def __repr__(self) -> str:
        return f"<cardan.Run {self.status}, {self.summary.get('analysis', '')}, {len(self.t)} rows, {len(self.channels)} channels>"

    def _repr_html_(self) -> str:
        facts = {
            "status": self.status,
            "analysis": self.summary.get("analysis", ""),
            "formulation": self.summary.get("formulation", ""),
            "integrator": self.summary.get("integrator", ""),
            "degrees of freedom": self.summary.get("dof", ""),
            "rows": len(self.t),
            "channels": len(self.channels),
        }
        rows = "".join(f"<tr><th>{k}</th><td>{html.escape(str(v))}</td></tr>" for k, v in facts.items() if v != "")
        try:
            page = html.escape(self.report(), quote=True)
        except Error:  # nothing that can be shown moving
            return f"<table>{rows}</table>"
        frame = f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="560" style="border:0"></iframe>'
        return f"<table>{rows}</table>{frame}"

    def __reduce__(self) -> Any:
        # As a folder's files: the same whether it is stored or in memory.
        if not isinstance(self._data, _core.MemoryRun):
            return _opened, (os.path.abspath(self.folder or "."), self._segment)
        with _stored(self) as folder:
            files = {}
            for name in ("run.db", "summary.json"):
                with builtins.open(os.path.join(folder or "", name), "rb") as stream:
                    files[name] = stream.read()
        return _unpacked, (files, self._segment)


def _opened(folder: str, segment: int | None) -> Run:
    return Run(_core.open_run(folder), segment)


def _unpacked(files: dict[str, bytes], segment: int | None) -> Run:
    folder = tempfile.TemporaryDirectory(prefix="cardan-")
    for name, content in files.items():
        with builtins.open(os.path.join(folder.name, name), "wb") as stream:
            stream.write(content)
    run = Run(_core.open_run(folder.name), segment)
    run._kept = folder  # type: ignore[attr-defined]  # removed with the run
    return run


@contextmanager
def _stored(run: Run | None) -> Iterator[str | None]:
    if run is None or not isinstance(run._data, _core.MemoryRun):
        yield run.folder if run is not None else None
        return
    with tempfile.TemporaryDirectory(prefix="cardan-") as folder:
        run._data.save(os.path.join(folder, "run"), False, False, False)
        yield os.path.join(folder, "run")


def open(folder: str | os.PathLike[str]) -> Run:
    """Reads the run in a folder, also one that is still being written (``Run.refresh``)."""
    return Run(_core.open_run(os.fspath(folder)))


def resume(
    folder: str | os.PathLike[str],
    *,
    csv: bool = False,
    report: bool = True,
    progress: bool | Progress | None = None,
) -> Run:
    """Goes on with a run that was stopped or killed, from its last checkpoint."""
    from .model import judged

    with follow(progress) as told:
        _core.resume(os.fspath(folder), csv, report, told)
    return judged(open(folder))


@contextmanager
def follow(progress: bool | Progress | None) -> Iterator[Progress | None]:
    """What is told how far a run is: the function given, or a bar."""
    if callable(progress):
        yield progress
        return
    if not wants_bar(progress):
        yield None
        return
    bar = bar_of(total=100, unit="%", bar_format="{l_bar}{bar}| {postfix} {elapsed}<{remaining}", delay=0.5)
    if bar is None:
        try:
            yield _line
        finally:
            end_line()
        return

    def show(t: float, start: float, until: float) -> None:
        bar.n = round(100 * (t - start) / (until - start), 1) if until != start else 0
        bar.set_postfix_str(f"t = {t:.4g} s")

    try:
        yield show
        bar.n = 100
    finally:
        bar.close()


def wants_bar(progress: bool | None) -> bool:
    """Where nothing is said, one is shown to somebody who looks: on a terminal and in a notebook."""
    return progress if progress is not None else sys.stderr.isatty() or "ipykernel" in sys.modules


def bar_of(**how: Any) -> Any:
    """A bar of tqdm; ``None``: there is no tqdm."""
    try:
        with warnings.catch_warnings():  # of notebooks without widgets, where it writes text
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(**how)


_lines: list[str] = []  # that stand on the terminal without an end


def _line(t: float, start: float, until: float) -> None:
    write_line(f"t = {t:.6g} s of {until:.6g} s")


def write_line(text: str) -> None:
    """Over what was written before."""
    _lines[:] = [text]
    print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def end_line() -> None:
    if _lines:
        print(file=sys.stderr)
        _lines.clear()
