"""Sweeps: a model run for many values of its parameters, by threads of this machine or by workers elsewhere."""

from __future__ import annotations

import html
import json
import os
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core, toml
from .errors import Diagnostic, Error, ModelError, diagnostics_from
from .results import Signal, bar_of, end_line, wants_bar, write_line
from .sweep_workers import Progress, check_version, run_elsewhere

if TYPE_CHECKING:
    from .model import Functions, Model
    from .results import Run


MOST_POINTS = _core.most_points()


class Sweep:
    """The points of a sweep: parameters, measures and how each run ended."""

    def __init__(self, folder: str, kept: tempfile.TemporaryDirectory[str] | None = None) -> None:
        self._kept = kept
        self.folder = folder
        store = _core.SweepStore.open(folder)
        self.about: dict[str, Any] = json.loads(store.about())
        columns = json.loads(store.columns())
        self.units: dict[str, str] = {
            **dict(zip(columns["parameters"], columns["parameter_units"], strict=True)),
            **dict(zip(columns["measures"], columns["measure_units"], strict=True)),
        }
        self.parameters: list[str] = columns["parameters"]
        self.measures: list[str] = columns["measures"]
        self.sampled: dict[str, str] = dict(columns["samples"])  # channels whose rows were kept, with their units
        rows = store.rows()
        self.numbers = np.array([row[0] for row in rows], dtype=np.int64)
        self.status: list[str] = [row[1] for row in rows]
        self.causes: list[str] = [row[2] for row in rows]
        self._why = [row[3] for row in rows]
        self._values = np.array([row[4] for row in rows], dtype=float).reshape(len(rows), len(self.parameters))
        self._measured = np.array([row[5] for row in rows], dtype=float).reshape(len(rows), len(self.measures))

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """A parameter or a measure at all points, in SI units; a measure that is not known is NaN."""
        if name in self.measures:
            return self._measured[:, self.measures.index(name)]
        if name in self.parameters:
            return self._values[:, self.parameters.index(name)]
        raise KeyError(f"no parameter or measure {name!r}; there are {', '.join(self.parameters + self.measures)}")

    @property
    def failed(self) -> dict[str, list[int]]:
        """Points that failed, by cause."""
        found: dict[str, list[int]] = {}
        for number, status, cause in zip(self.numbers, self.status, self.causes, strict=True):
            if status == "failed":
                found.setdefault(cause, []).append(int(number))
        return found

    def diagnostics(self, point: int) -> list[Diagnostic]:
        """Errors and warnings of a point."""
        return diagnostics_from(json.loads(self._why[self._place(point)]))

    def model(self, point: int, functions: Functions | None = None) -> Model:
        """The model with the values of a point. ``functions`` are those that the swept model had."""
        from .model import Model

        place = self._place(point)
        asked, stored = self.about["arguments"], self.about["model"]
        given = dict(functions or {})
        if missing := [name for name in asked.get("functions", []) if name not in given]:
            found = f"a sweep whose model calls the Python function {', '.join(missing)}"
            raise Error([Diagnostic("io.no-function", "error", found, "functions={'name': function}")])
        files = [(f["name"], f["text"]) for f in stored.get("included", [])]
        changed = dict(item.split("=", 1) for item in asked["set"])
        changed.update({name: float(x) for name, x in zip(self.parameters, self._values[place], strict=True)})
        return Model._read(stored["text"], asked["model"], asked.get("spatial", False), changed, given, files)

    def rerun(self, point: int, functions: Functions | None = None, **how: Any) -> Run:
        """One point again as an ordinary run."""
        asked = self.about["arguments"]
        options = {k: v for k, v in asked.items() if k not in ("model", "set", "spatial", "analysis", "functions")}
        return self.model(point, functions).run(asked.get("analysis", ""), **{**options, **how})

    def _place(self, point: int) -> int:
        found = np.flatnonzero(self.numbers == point)
        if len(found) == 0:
            raise KeyError(f"no point {point}; {len(self)} are done")
        return int(found[0])

    def samples(self, point: int) -> Samples:
        """The rows that were kept of a point (``samples=["piston.*"]``), channel by channel."""
        if not self.sampled:
            raise KeyError("no rows were kept; give samples=['channel', ...] to sweep()")
        rows = np.asarray(_core.SweepStore.open(self.folder).samples(point))
        return Samples(rows, list(self.sampled.items()))

    def to_csv(self) -> str:
        """The table as comma-separated values."""
        return str(_core.SweepStore.open(self.folder).table())

    def _write_table(self) -> None:
        """table.csv beside the store, as the command line writes it."""
        folder = self.folder if os.path.isdir(self.folder) else os.path.dirname(self.folder)
        with open(os.path.join(folder, "table.csv"), "w", encoding="utf-8", newline="") as stream:
            stream.write(self.to_csv())

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the table as a Parquet file (pyarrow), units in its metadata under ``units``."""
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.Table.from_pandas(self.to_pandas())
        known = {**(table.schema.metadata or {}), b"units": json.dumps(self.units).encode()}
        pyarrow.parquet.write_table(table.replace_schema_metadata(known), os.fspath(path))

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each point."""
        import pandas

        data: dict[str, Any] = {"status": self.status, "cause": self.causes}
        data.update({name: self[name] for name in self.parameters + self.measures})
        frame = pandas.DataFrame(data, index=pandas.Index(self.numbers, name="point"))
        frame.attrs["units"] = self.units
        return frame

    def to_xarray(self) -> Any:
        """A Dataset: over the parameters for a grid, over the points otherwise."""
        import xarray

        axes = [np.unique(self[name]) for name in self.parameters]
        if self.about["design"]["kind"] != "grid" or np.prod([len(a) for a in axes]) != len(self):
            names = self.parameters + self.measures
            return xarray.Dataset({n: ("point", self[n], {"units": self.units[n]}) for n in names})
        shape = [len(axis) for axis in axes]
        place = tuple(np.searchsorted(axis, self[name]) for axis, name in zip(axes, self.parameters, strict=True))
        data = {}
        for name in self.measures:
            values = np.full(shape, np.nan)
            values[place] = self[name]
            data[name] = (self.parameters, values, {"units": self.units[name]})
        coords = {n: (n, a, {"units": self.units[n]}) for n, a in zip(self.parameters, axes, strict=True)}
        return xarray.Dataset(data, coords=coords)

    def statistics(self, measure: str) -> dict[str, float]:
        """Mean, standard deviation and quantiles of a measure over all points that have it."""
        x = self[measure][np.isfinite(self[measure])]
        quantiles = np.quantile(x, [0.01, 0.05, 0.5, 0.95, 0.99]) if len(x) else np.full(5, np.nan)
        names = ("1 %", "5 %", "50 %", "95 %", "99 %")
        return {
            "points": len(x),
            "mean": float(np.mean(x)) if len(x) else np.nan,
            "standard deviation": float(np.std(x, ddof=1)) if len(x) > 1 else np.nan,
            **{n: float(q) for n, q in zip(names, quantiles, strict=True)},
        }

    def correlation(self) -> NDArray[np.float64]:
        """Pearson's correlation of each measure (row) with each parameter (column)."""
        out = np.full((len(self.measures), len(self.parameters)), np.nan)
        for i, measure in enumerate(self.measures):
            good = np.isfinite(self[measure])
            for k, name in enumerate(self.parameters):
                x, y = self[name][good], self[measure][good]
                if len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0:
                    out[i, k] = np.corrcoef(x, y)[0, 1]
        return out

    def main_effects(self, measure: str) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """For each parameter its values, and the mean of the measure over all points that have each of them.

        Of a parameter with more than 20 values ten groups of points with rising values are taken.
        """
        self[measure]  # a KeyError for one that is not there
        found = {m["measure"]: m for m in json.loads(_core.SweepStore.open(self.folder).statistics())}[measure]
        return {
            name: (np.array([x for x, _ in pairs]), np.array([y for _, y in pairs]))
            for name, pairs in zip(self.parameters, found["main_effects"], strict=False)
        }

    def plot(self, measure: str, x: str | None = None, y: str | None = None, ax: Any = None) -> Any:
        """A histogram of a measure; over one parameter its points; over two of a grid its contours."""
        import matplotlib.pyplot as plt

        count = int(np.sum(np.isfinite(self[measure])))
        if count < (3 if y is not None else 1):
            raise ValueError(f"{count or 'no'} points with a value of {measure!r}; there is nothing to draw")
        ax = ax or plt.subplots()[1]

        def label(name: str) -> str:
            return f"{name} / {self.units[name]}" if self.units[name] else name

        if x is None:
            values = self[measure][np.isfinite(self[measure])]
            ax.hist(values, bins="auto")
            for q in (0.05, 0.5, 0.95):
                ax.axvline(np.quantile(values, q), color="black", linestyle="--", linewidth=0.8)
            ax.set_xlabel(label(measure))
            ax.set_ylabel("points")
        elif y is None:
            ax.plot(self[x], self[measure], ".")
            ax.set_xlabel(label(x))
            ax.set_ylabel(label(measure))
        else:
            good = np.isfinite(self[measure])
            drawn = ax.tricontourf(self[x][good], self[y][good], self[measure][good], levels=20)
            ax.figure.colorbar(drawn, ax=ax, label=label(measure))
            ax.set_xlabel(label(x))
            ax.set_ylabel(label(y))
        return ax

    def page(self, path: str | os.PathLike[str], points: Sequence[int] | None = None) -> list[int]:
        """Writes a page with a plot of all points. A point picked there opens its animation, two are compared.

        ``points`` are run again for that, otherwise those with the least and the largest value of each measure; their
        reports lie in a folder beside the page. Returns these points. On the page of ``cardan view FOLDER`` every point
        can be picked.
        """
        return list(_core.sweep_page(self.folder, os.fspath(path), None if points is None else [int(p) for p in points]))

    def __repr__(self) -> str:
        bad = sum(status == "failed" for status in self.status)
        return f"<cardan.Sweep {len(self)} points, {bad} failed, {', '.join(self.parameters)} -> {', '.join(self.measures)}>"

    def _repr_html_(self) -> str:
        try:
            return str(self.to_pandas()._repr_html_())
        except ImportError:  # no pandas
            pass
        most = 30
        names = ["point", "status", *(self._headed(n) for n in self.parameters + self.measures)]
        columns = [self.numbers.tolist(), self.status, *(self[n].tolist() for n in self.parameters + self.measures)]
        lines = [[f"{x:.6g}" if isinstance(x, float) else str(x) for x in row] for row in zip(*columns, strict=True)]
        table = [_cells("th", names), *(_cells("td", line) for line in lines[:most])]
        rest = f"<p>and {len(lines) - most} more</p>" if len(lines) > most else ""
        return f"<table>{''.join(table)}</table>{rest}"

    def _headed(self, name: str) -> str:
        return f"{name} [{self.units[name]}]" if self.units[name] else name


def _cells(kind: str, texts: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{html.escape(text)}</{kind}>" for text in texts) + "</tr>"


class Samples(Mapping[str, Signal]):
    """Rows of a point: ``samples["piston.x"]`` is an array with ``unit`` and the times ``t``."""

    def __init__(self, rows: NDArray[np.float64], channels: list[tuple[str, str]]) -> None:
        self.t = rows[:, 0]
        self._signals = {name: Signal(rows[:, k + 1], self.t, name, unit) for k, (name, unit) in enumerate(channels)}

    def __getitem__(self, name: str) -> Signal:
        return self._signals[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signals)

    def __len__(self) -> int:
        return len(self._signals)

    def to_pandas(self) -> Any:
        """A DataFrame over time; units in its ``attrs``."""
        import pandas

        frame = pandas.DataFrame({n: np.asarray(x) for n, x in self.items()}, index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = {n: x.unit for n, x in self.items()}
        return frame


def sweep(
    model: Model,
    vary: Mapping[str, Any] | None = None,
    measure: Mapping[str, str] | None = None,
    *,
    samples: Sequence[str] = (),
    block: str = "",
    zip: bool = False,
    sample: int = 0,
    sobol: bool = False,
    seed: int = 0,
    analysis: str = "",
    workers: int | None = None,
    client: Any = None,
    executor: Any = None,
    chunk: int = 0,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: bool | Progress | None = None,
    **options: Any,
) -> Sweep:
    """Runs a model for many values of its parameters and measures each run.

    ``vary`` gives each parameter a range (``"20:5:40 N/mm"``: start, step, end), a list of values, or a
    distribution (``"normal(80 mm, 0.05 mm)"``, with ``sample``). All combinations are run, with ``zip`` values side
    by side, with ``sample`` so many points of a Latin hypercube, or of a Sobol sequence. ``measure`` names formulas
    of channels; ``samples`` names channels, with * and ?, whose rows are kept of every point (``Sweep.samples``). Without ``vary`` the sweep is a ``[[sweep]]`` of the model, the only one or that named ``block``.
    ``options`` are those of the analyses.

    Points are run by threads of this process (``workers``), by a ``concurrent.futures.Executor`` or by the workers
    of a Dask ``client``, in chunks. The results are the same to the bit. The store is ``output``, or temporary.

    >>> import cardan
    >>> m = cardan.loads('''
    ... gravity = [0, -9.81]
    ... [parameters]
    ... length = "1 m"
    ... [[body]]
    ... name = "bar"
    ... from = [0, 0]
    ... to = ["length", 0]
    ... mass = 1
    ... [[joint]]
    ... type = "revolute"
    ... name = "pin"
    ... between = ["ground", "bar"]
    ... at = [0, 0]
    ... [[analysis]]
    ... type = "dynamic"
    ... until = 0.5''')
    >>> s = cardan.sweep(m, {"length": "0.5:0.25:1 m"}, {"speed": 'max(abs("bar.omega"))'})
    >>> s["length"].tolist()
    [0.5, 0.75, 1.0]
    >>> s.status
    ['complete', 'complete', 'complete']
    """
    _check_who_runs(workers, client, executor, chunk)
    _check_design(zip, sample, sobol, seed)
    if "sensitivity" in options:
        raise _wrong("sensitivity of a sweep, whose points keep measures and no derivatives", "run() or minimise()")
    request = _core.SweepRequest()
    request.model = model._request(analysis, options)
    if vary is None:
        if measure is not None or zip or sample:
            raise _wrong("measure, zip or sample without vary", "vary too; without it a [[sweep]] of the model is run")
        request = request.with_block(block)
    else:
        if block:
            raise _wrong(f"vary beside block {block!r}", "either of them")
        if not isinstance(vary, Mapping) or not isinstance(measure or {}, Mapping):
            raise _wrong("vary or measure that is no dict", "{'parameter': values} and {'name': formula}")
        if wrong := [name for name, formula in (measure or {}).items() if not isinstance(formula, str)]:
            raise _wrong(f"measure {wrong[0]!r} that is no text", "a formula of channels, such as 'max(\"crank.omega\")'")
        request.vary = [f"{name}={_values_text(values)}" for name, values in vary.items()]
        request.measures = [f"{name} = {formula}" for name, formula in (measure or {}).items()]
        request.design("sobol" if sample and sobol else "latin" if sample else "zip" if zip else "grid", sample, seed)
    if samples:
        request.samples = [samples] if isinstance(samples, str) else list(samples)
    if model._functions and (client is not None or executor is not None):
        raise Error(
            [Diagnostic("io.no-function", "error", f"function {', '.join(model._functions)}", "threads of this process")]
        )
    kept = tempfile.TemporaryDirectory(prefix="cardan-sweep-") if output is None else None
    folder = os.path.join(kept.name, "sweep") if kept else os.fspath(output or "")
    with _shown(progress) as told:
        if client is None and executor is None:
            _tell_raised(_core.run_sweep(request, folder, force, workers or 0, told))
        else:
            ready = _core.ReadySweep.of(request)
            store = _core.SweepStore.create(folder, ready, force)
            run_elsewhere(ready, store, client, executor, chunk, told)
            del store
    swept = Sweep(folder, kept)
    if output is not None:
        swept._write_table()
    return swept


def resume_sweep(
    folder: str | os.PathLike[str],
    *,
    workers: int | None = None,
    client: Any = None,
    executor: Any = None,
    chunk: int = 0,
    progress: bool | Progress | None = None,
) -> Sweep:
    """Runs the points that a stopped or killed sweep has not done."""
    _check_who_runs(workers, client, executor, chunk)
    with _shown(progress) as told:
        if client is None and executor is None:
            _core.resume_sweep(os.fspath(folder), workers or 0, told)
        else:
            store = _core.SweepStore.open_to_write(os.fspath(folder))
            ready = _core.ReadySweep.read(store.about())
            check_version(json.loads(store.about())["version"], "the store")
            run_elsewhere(ready, store, client, executor, chunk, told)
            del store
    swept = Sweep(os.fspath(folder))
    swept._write_table()
    return swept


def open_sweep(folder: str | os.PathLike[str]) -> Sweep:
    """Reads the store of a sweep."""
    return Sweep(os.fspath(folder))


def _check_who_runs(workers: int | None, client: Any, executor: Any, chunk: int) -> None:
    """Threads, an executor or a client: one of them."""
    if client is not None and executor is not None:
        raise _wrong("client beside executor", "one of them")
    elsewhere = client is not None or executor is not None
    if workers is not None and elsewhere:
        raise _wrong(f"workers={workers} beside a client or an executor", "workers alone; a client and an executor have their own")
    if workers is not None and workers < 1:
        raise _wrong(f"{workers} workers", "one at least")
    if chunk < 0 or (chunk and not elsewhere):
        raise _wrong(f"chunk={chunk}", "points that a worker of a client or an executor takes at once; 0: chosen")


def _check_design(zip: bool, sample: int, sobol: bool, seed: int) -> None:
    if zip and sample:
        raise _wrong("zip beside sample", "one of them")
    if sample > MOST_POINTS:
        raise ModelError([Diagnostic("limit.points", "error", f"a sweep of {sample} points", f"{MOST_POINTS} at most")])
    if (sobol or seed) and not sample:
        raise _wrong("sobol without sample" if sobol else f"seed {seed} without sample", "sample, and how many points")
    if not 0 <= seed < 2**64:
        raise _wrong(f"seed {seed}", "a number from 0 to 2^64 - 1")


def _wrong(found: str, expected: str) -> ModelError:
    return ModelError([Diagnostic("usage.bad-value", "error", found, expected)])


def _tell_raised(result: str) -> None:
    for name, count, first in json.loads(result)["raised"]:
        warnings.warn(f"function {name!r} raised {first} ({count} times); there it has no value", stacklevel=3)


# ---- texts


def _values_text(values: Any) -> str:
    if isinstance(values, str):
        return values
    if isinstance(values, (list, tuple, np.ndarray)):
        return ",".join(v if isinstance(v, str) else toml.value(v) for v in values)
    return toml.value(values)


@contextmanager
def _shown(progress: bool | Progress | None) -> Iterator[Progress | None]:
    """A bar over the points with their pace and the time that is left, or the function given."""
    if callable(progress):
        yield progress
        return
    if not wants_bar(progress):
        yield None
        return
    bar = bar_of(unit="point", delay=0.5)
    began = told = time.monotonic()

    def show(done: int, count: int, failed: int) -> None:
        nonlocal told
        if bar is None:
            if time.monotonic() - told < 0.1 and done < count:
                return
            told = time.monotonic()
            pace = done / max(time.monotonic() - began, 1e-3)
            left = (count - done) / pace if pace > 0 else float("nan")
            write_line(f"{done} of {count} points, {pace:.3g} a second, {failed} failed, {left:.0f} s left")
            return
        bar.total = count
        bar.n = done
        bar.set_postfix_str(f"{failed} failed")

    try:
        yield show
        if bar is not None and bar.total is not None:
            bar.n = bar.total
    finally:
        if bar is None:
            end_line()
        else:
            bar.close()


__all__ = ["Samples", "Sweep", "open_sweep", "resume_sweep", "sweep"]
