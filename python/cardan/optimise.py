"""Optimisation and fitting: parameters of a model that make a measure least, or its channels follow data.

    minimise  f(p)                 subject to  g(p) <= 0,  low <= p <= high
    minimise  sum (y(t_k; p) - y_k)^2 / s^2    likewise (fit)

on SciPy. Parameters are scaled to their bounds, so that all run from 0 to 1. The derivatives of a fit are those of the
run's own sensitivities where the analysis has them, otherwise differences.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, toml
from .errors import Diagnostic, Error, ModelError

if TYPE_CHECKING:
    from .model import Model
    from .results import Run

Array = NDArray[np.float64]
DIFFERENCE = 1e-5  # of the scaled parameters, where there are no exact derivatives


@dataclass(frozen=True)
class Start:
    """How the search from one start ended."""

    start: dict[str, float]
    parameters: dict[str, float]
    value: float
    success: bool
    message: str
    evaluations: int


@dataclass(frozen=True)
class Optimum:
    """The best that was found. ``model`` has these parameters."""

    parameters: dict[str, float]
    units: dict[str, str]
    value: float
    success: bool
    message: str
    evaluations: int
    derivatives: str  # "exact" or "differences"
    model: Model
    starts: list[Start] = field(repr=False)
    constraints: dict[str, float] = field(default_factory=dict)  # left minus right side

    def __str__(self) -> str:
        lines = [f"{name} = {x:.10g} {self.units[name]}".rstrip() for name, x in self.parameters.items()]
        lines += [f"value {self.value:.10g}, {self.evaluations} runs, derivatives: {self.derivatives}"]
        return "\n".join([*lines, self.message])


def minimise(
    model: Model,
    objective: str | Callable[[Run], float],
    over: Mapping[str, Any],
    *,
    subject_to: Sequence[str] = (),
    maximise: bool = False,
    starts: int = 1,
    seed: int = 0,
    method: str = "SLSQP",
    analysis: str = "",
    **options: Any,
) -> Optimum:
    """Values of parameters that make a measure least.

    ``objective`` is a formula as those of sweeps, or a function of the run. ``over`` gives each parameter its bounds:
    ``"60:100 mm"`` or a pair. ``subject_to`` are measures with ``<=`` or ``>=``. The search begins at the values of the
    model, with ``starts`` also at others between the bounds. ``method`` is one of ``scipy.optimize.minimize`` that
    takes bounds. ``options`` are those of the analyses.

    >>> from cardan import loads
    >>> m = loads('''
    ... gravity = [0, -10]
    ... [parameters]
    ... up = "3 m/s"
    ... [[body]]
    ... name = "ball"
    ... at = [0, 0]
    ... velocity = [0, "up"]
    ... mass = 1
    ... inertia = 1
    ... [[analysis]]
    ... type = "dynamic"
    ... until = "1 s"''')
    >>> best = minimise(m, '(max("ball.y") - 2 m)^2', {"up": "1:10 m/s"})  # up^2/(2 g) = 2 m
    >>> round(best.parameters["up"], 3)
    6.325
    """
    from scipy import optimize

    space = _Space(model, over)
    runs = _Measured(model, space, objective, subject_to, analysis, options)
    sign = -1.0 if maximise else 1.0
    limits = [{"type": "ineq", "fun": lambda u, k=k: -runs.at(u)[1 + k]} for k in range(len(subject_to))]
    if limits and method not in ("SLSQP", "COBYLA", "trust-constr"):
        raise _usage(f"method {method!r} with subject_to", "SLSQP, COBYLA or trust-constr")
    how = {"eps": DIFFERENCE, "ftol": 1e-12, "maxiter": 300} if method == "SLSQP" else {}
    found: list[Start] = []
    for u0 in space.starts(starts, seed):
        runs.begin()
        result = optimize.minimize(
            lambda u: sign * runs.at(u)[0],
            u0,
            method=method,
            bounds=[(0, 1)] * space.size,
            constraints=limits,
            options=how,
        )
        u = np.clip(result.x, 0, 1)
        value = runs.at(u)[0]
        meets = all(g <= 1e-6 * max(1.0, runs.scale(k)) for k, g in enumerate(runs.at(u)[1:]))
        good = bool(result.success) and meets and runs.known(u)
        found.append(Start(space.named(u0), space.named(u), value, good, str(result.message), runs.count))
    best = min(found, key=lambda s: (not s.success, sign * s.value if np.isfinite(s.value) else np.inf))
    left = runs.at(space.scaled(best.parameters))[1:]
    return _optimum(model, space, best, found, "differences", dict(zip(subject_to, map(float, left), strict=True)))


def fit(
    model: Model,
    data: str | os.PathLike[str] | Mapping[str, tuple[ArrayLike, ArrayLike]],
    over: Mapping[str, Any],
    *,
    weights: Mapping[str, float] | None = None,
    starts: int = 1,
    seed: int = 0,
    analysis: str = "",
    **options: Any,
) -> Optimum:
    """Values of parameters with which channels of the model follow measured data best, by least squares.

    ``data`` gives channels their times and values in SI units, or names a CSV file: ``t`` and channels in its first
    line, units in brackets. ``weights`` are divisors of the differences, otherwise the spread of each channel's data.
    """
    from scipy import optimize

    wanted = read_data(data) if isinstance(data, (str, os.PathLike)) else _arrays(data)
    space = _Space(model, over)
    misfit = _Misfit(model, space, wanted, weights or {}, analysis, options)
    found: list[Start] = []
    for u0 in space.starts(starts, seed):
        misfit.count = 0
        try:
            result = optimize.least_squares(
                misfit.residuals,
                u0,
                jac=misfit.jacobian,
                bounds=(np.zeros(space.size), np.ones(space.size)),
                xtol=1e-12,
                ftol=1e-14,
                gtol=1e-14,
                max_nfev=200,
            )
        except Error as fault:
            if isinstance(fault, ModelError):
                raise
            found.append(Start(space.named(u0), space.named(u0), np.inf, False, str(fault), misfit.count))
            continue
        u = np.clip(result.x, 0, 1)
        good = bool(result.success) and misfit.known(u)
        found.append(Start(space.named(u0), space.named(u), 2 * result.cost, good, result.message, misfit.count))
    best = min(found, key=lambda s: (not s.success, s.value))
    return _optimum(model, space, best, found, "exact" if misfit.exact else "differences", {})


def read_data(path: str | os.PathLike[str]) -> dict[str, tuple[Array, Array]]:
    """Columns of a CSV file as (t, values): ``t [s]`` first, then channels; lines that begin with # are left out."""
    with open(path, encoding="utf-8", newline="") as stream:
        lines = [row for row in csv.reader(stream) if row and not row[0].startswith("#")]
    if len(lines) < 2:
        raise _usage(f"{os.fspath(path)} without data", "a line of names and lines of numbers")
    names = [re.sub(r"\s*\[.*\]\s*$", "", cell.strip()) for cell in lines[0]]
    if names[0] != "t":
        raise _usage(f"{os.fspath(path)}: first column '{names[0]}'", "t")
    try:
        numbers = np.array([[float(cell) for cell in row] for row in lines[1:]])
    except ValueError as fault:
        raise _usage(f"{os.fspath(path)}: {fault}", "numbers, as many in each line as there are names") from fault
    if numbers.shape[1] != len(names):
        raise _usage(f"{os.fspath(path)}: {numbers.shape[1]} columns under {len(names)} names", "as many")
    return {name: (numbers[:, 0], numbers[:, k]) for k, name in enumerate(names) if k > 0}


# ---- parameters between their bounds


class _Space:
    def __init__(self, model: Model, over: Mapping[str, Any]) -> None:
        if not over:
            raise _usage("no parameter that may change", "over={'parameter': 'low:high unit'}")
        self.names = list(over)
        self.vary = [f"{name}={_bounds_text(name, bounds)}" for name, bounds in over.items()]
        request = _core.SweepRequest()
        request.model = model._request()
        request.vary = self.vary
        request.design("zip", 0, 0)
        ready = _core.ReadySweep.of(request)
        self.low, self.high = np.array(ready.point(0)), np.array(ready.point(1))
        for name, low, high in zip(self.names, self.low, self.high, strict=True):
            if not low < high:
                raise _usage(f"'{name}' from {low} to {high}", "a lower bound below the upper one")
        self.units = dict(zip(self.names, ready.columns()[0], strict=True))
        self.now = np.array([model.parameter(name).value for name in self.names])
        self.size = len(self.names)

    def values(self, u: Array) -> Array:
        return np.asarray(self.low + np.clip(u, 0, 1) * (self.high - self.low))

    def named(self, u: Array) -> dict[str, float]:
        return {name: float(x) for name, x in zip(self.names, self.values(u), strict=True)}

    def scaled(self, parameters: Mapping[str, float]) -> Array:
        return np.asarray((np.array([parameters[n] for n in self.names]) - self.low) / (self.high - self.low))

    def starts(self, count: int, seed: int) -> list[Array]:
        """The model's own values, then a Latin hypercube."""
        first = np.clip((self.now - self.low) / (self.high - self.low), 0, 1)
        random = np.random.default_rng(seed)
        rest = max(0, count - 1)
        columns = [(random.permutation(rest) + random.random(rest)) / max(1, rest) for _ in self.names]
        return [first, *(np.array(row) for row in zip(*columns, strict=True))]


def _bounds_text(name: str, bounds: Any) -> str:
    """low,high as the values of a sweep."""
    if isinstance(bounds, str):
        parts = bounds.split(":")
        if len(parts) == 2:
            unit = re.sub(r"^\s*[-+0-9.eE]+\s*", "", parts[1])
            low = parts[0] if not re.fullmatch(r"\s*[-+0-9.eE]+\s*", parts[0]) else f"{parts[0]} {unit}"
            return f"{low},{parts[1]}"
    elif isinstance(bounds, (list, tuple)) and len(bounds) == 2:
        return ",".join(b if isinstance(b, str) else toml.value(b) for b in bounds)
    raise _usage(f"bounds {bounds!r} of '{name}'", "'low:high unit' or a pair of values")


# ---- measures at many points


class _Measured:
    """Objective and constraints at scaled parameters; each point is run once."""

    def __init__(
        self,
        model: Model,
        space: _Space,
        objective: str | Callable[[Run], float],
        subject_to: Sequence[str],
        analysis: str,
        options: Mapping[str, Any],
    ) -> None:
        request = _core.SweepRequest()
        request.model = model._request(analysis, options)
        request.vary = space.vary
        limits = [_difference(text) for text in subject_to]
        measures = [] if callable(objective) else [f"objective = {objective}"]
        request.measures = measures + [f"limit_{k} = {text}" for k, text in enumerate(limits)]
        request.design("zip", 0, 0)
        self._ready = _core.ReadySweep.of(request)
        self._model, self._space, self._analysis, self._options = model, space, analysis, options
        self._function = objective if callable(objective) else None
        self._limits = len(limits)
        self._scales = np.zeros(len(limits))
        self.begin()

    def begin(self) -> None:
        self.count = 0
        self._seen: dict[bytes, tuple[Array, bool]] = {}
        self._worst: Array | None = None

    def scale(self, k: int) -> float:
        return float(self._scales[k])

    def known(self, u: Array) -> bool:
        self.at(u)
        return self._seen[self._space.values(u).tobytes()][1]

    def at(self, u: Array) -> Array:
        values = self._space.values(u)
        key = values.tobytes()
        if key not in self._seen:
            self._seen[key] = self._run(values)
        return self._seen[key][0]

    def _run(self, values: Array) -> tuple[Array, bool]:
        self.count += 1
        row = self._ready.at([float(x) for x in values])
        numbers = np.array(row[5], dtype=float)
        if self._function is not None and row[1] in ("complete", "doubtful"):
            m = self._model.copy().set(**dict(zip(self._space.names, map(float, values), strict=True)))
            numbers = np.concatenate([[self._function(m.run(self._analysis, **self._options))], numbers])
        elif self._function is not None:
            numbers = np.concatenate([[np.nan], numbers])
        if np.all(np.isfinite(numbers)):
            worst = numbers if self._worst is None else np.maximum(self._worst, numbers)
            self._worst = worst
            self._scales = np.maximum(self._scales, np.abs(numbers[1:]))
            return numbers, True
        # A run that failed is worse than all that did not.
        worst = np.zeros(1 + self._limits) if self._worst is None else self._worst
        return worst + np.maximum(1.0, np.abs(worst)), False


def _difference(text: str) -> str:
    parts = re.split(r"(<=|>=)", text)
    if len(parts) != 3 or not parts[0].strip() or not parts[2].strip():
        raise _usage(f"'{text}'", "measure <= value, or measure >= value")
    left, sign, right = parts
    return f"({left.strip()}) - ({right.strip()})" if sign == "<=" else f"({right.strip()}) - ({left.strip()})"


# ---- data to follow


class _Misfit:
    """Differences between channels and data, and their derivatives by the scaled parameters."""

    def __init__(
        self,
        model: Model,
        space: _Space,
        data: Mapping[str, tuple[Array, Array]],
        weights: Mapping[str, float],
        analysis: str,
        options: Mapping[str, Any],
    ) -> None:
        self._model, self._space, self._data, self._analysis = model, space, data, analysis
        times = np.unique(np.concatenate([t for t, _ in data.values()]))
        steps = np.diff(times)
        step = float(np.min(steps)) if len(steps) else 1.0
        # Rows at the times of the data where these are equally spaced from zero, otherwise ten times as dense.
        even = len(steps) > 0 and np.ptp(steps) < 1e-9 * times[-1] and abs(times[0] / step - round(times[0] / step)) < 1e-6
        options = {"until": float(times[-1]), "output_step": step if even else step / 4, **options}
        self._options = options
        self._weight = {n: float(weights.get(n, np.ptp(y) or np.max(np.abs(y)) or 1.0)) for n, (_, y) in data.items()}
        self.exact = True
        self.count = 0
        self._last: tuple[bytes, Array, Array | None] | None = None
        try:
            self._runs(space.now, True)
        except ModelError as fault:
            if not any("sensitiv" in str(d) for d in fault.diagnostics):
                raise
            self.exact = False
            self._runs(space.now, False)

    def known(self, u: Array) -> bool:
        return bool(np.all(np.isfinite(self.residuals(u))))

    def residuals(self, u: Array) -> Array:
        return self._at(u)[0]

    def jacobian(self, u: Array) -> Array:
        if self.exact:
            found = self._at(u)[1]
            assert found is not None
            return found
        base = self.residuals(u)
        columns = []
        for k in range(self._space.size):
            step = DIFFERENCE if u[k] + DIFFERENCE <= 1 else -DIFFERENCE
            moved = u.copy()
            moved[k] += step
            columns.append((self._runs(self._space.values(moved), False)[0] - base) / step)
        return np.stack(columns, axis=1)

    def _at(self, u: Array) -> tuple[Array, Array | None]:
        values = self._space.values(u)
        key = values.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = (key, *self._runs(values, self.exact))
        return self._last[1], self._last[2]

    def _runs(self, values: Array, slopes: bool) -> tuple[Array, Array | None]:
        self.count += 1
        m = self._model.copy().set(**dict(zip(self._space.names, map(float, values), strict=True)))
        more = {"sensitivity": self._space.names} if slopes else {"rows": "grid"}
        run = m.run(self._analysis, **{**self._options, **more})
        rest, columns = [], []
        for name, (t, y) in self._data.items():
            rest.append((_course(run, name, t) - y) / self._weight[name])
            if slopes:
                part = [_course(run, f"d({name})/d({p})", t) for p in self._space.names]
                columns.append(np.stack(part, axis=1) / self._weight[name])
        jacobian = np.concatenate(columns) * (self._space.high - self._space.low) if slopes else None
        return np.concatenate(rest), jacobian


def _course(run: Run, name: str, t: Array) -> Array:
    """A channel at other times than those of the rows: a cubic spline through them."""
    from scipy.interpolate import CubicSpline

    values = np.asarray(run[name])
    at, first = np.unique(run.t, return_index=True)
    if len(at) < 4:
        return np.asarray(np.interp(t, at, values[first]))
    if t[0] < at[0] - 1e-9 or t[-1] > at[-1] * (1 + 1e-9):
        raise _usage(f"data from {t[0]} s to {t[-1]} s", f"times of the run, {at[0]} s to {at[-1]} s")
    return np.asarray(CubicSpline(at, values[first])(t))


def _arrays(data: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> dict[str, tuple[Array, Array]]:
    out = {}
    for name, (t, y) in data.items():
        pair = np.asarray(t, dtype=float), np.asarray(y, dtype=float)
        if pair[0].shape != pair[1].shape or pair[0].ndim != 1 or not len(pair[0]):
            raise _usage(f"'{name}' with {pair[0].size} times and {pair[1].size} values", "as many of both")
        out[name] = pair
    if not out:
        raise _usage("no data", "channels with times and values")
    return out


def _optimum(
    model: Model, space: _Space, best: Start, found: list[Start], derivatives: str, constraints: dict[str, float]
) -> Optimum:
    return Optimum(
        best.parameters,
        space.units,
        best.value,
        best.success,
        best.message,
        sum(s.evaluations for s in found),
        derivatives,
        model.copy().set(**best.parameters),
        found,
        constraints,
    )


def _usage(found: str, expected: str) -> ModelError:
    return ModelError([Diagnostic("usage.bad-value", "error", found, expected)])


__all__ = ["Optimum", "Start", "fit", "minimise", "read_data"]
