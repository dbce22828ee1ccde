"""Runs of a model at scaled parameters: what searches and fits ask for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core, toml
from .errors import Diagnostic, Error, ModelError

if TYPE_CHECKING:
    from .model import Model
    from .results import Run

Array = NDArray[np.float64]
MOST_ROWS = 50_000  # of a run that is compared with data
DIFFERENCE = 1e-5  # of the scaled parameters, where there are no exact derivatives


# ---- parameters between their bounds


class Space:
    def __init__(self, model: Model, over: Mapping[str, Any]) -> None:
        if not isinstance(over, Mapping):
            raise usage("over that is no dict", "over={'parameter': 'low:high unit'}")
        if not over:
            raise usage("no parameter that may change", "over={'parameter': 'low:high unit'}")
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
                raise usage(f"'{name}' from {low} to {high}", "a lower bound below the upper one")
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
        """The model's own values, or the bounds next to them, then a Latin hypercube."""
        if count < 1:
            raise usage(f"{count} starts", "one at least")
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
    raise usage(f"bounds {bounds!r} of '{name}'", "'low:high unit' or a pair of values")


# ---- measures at many points


class Measured:
    """Objective and constraints at scaled parameters, the objective negative where its largest value is looked for; each
    point is run once."""

    def __init__(
        self,
        model: Model,
        space: Space,
        objective: str | Callable[[Run], float],
        subject_to: Sequence[str],
        analysis: str,
        options: Mapping[str, Any],
        exact: bool,
        sign: float,
    ) -> None:
        self._sign = np.array([sign, *np.ones(len(subject_to))])
        limits = [_difference(text) for text in subject_to]
        measures = [] if callable(objective) else [f"objective = {objective}"]
        measures += [f"limit_{k} = {text}" for k, text in enumerate(limits)]

        def ready(more: Mapping[str, Any]) -> _core.ReadySweep:
            request = _core.SweepRequest()
            request.model = model._request(analysis, {**options, **more})
            request.vary = space.vary
            request.measures = measures
            request.design("zip", 0, 0)
            return _core.ReadySweep.of(request)

        self._ready = ready({})
        self._space = space
        self.exact = False
        if exact and not callable(objective) and "sensitivity" not in options:
            self._try_exact(ready, [float(x) for x in space.now])
        self._model, self._space, self._analysis, self._options = model, space, analysis, options
        self._function = objective if callable(objective) else None
        self._limits = len(limits)
        self._scales = np.zeros(len(limits))
        self.begin()

    def _try_exact(self, ready: Callable[[Mapping[str, Any]], _core.ReadySweep], now: list[float]) -> None:
        """Sensitivities, where the analysis has them: what it says of the model's own values tells."""
        try:
            with_slopes = ready({"sensitivity": self._space.names})
        except ModelError:
            return
        row = with_slopes.at(now)
        if row[1] in ("complete", "doubtful") and len(row[6]) > 0 and np.all(np.isfinite(row[6])):
            self._ready, self.exact = with_slopes, True

    def begin(self) -> None:
        self.count = 0
        self._seen: dict[bytes, tuple[Array, bool, Array]] = {}
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

    def slopes(self, u: Array) -> Array:
        """By the scaled parameters: a row for the objective, one for each limit. Zero where the run failed."""
        self.at(u)
        return self._seen[self._space.values(u).tobytes()][2]

    def _run(self, values: Array) -> tuple[Array, bool, Array]:
        self.count += 1
        numbers, given = np.empty(0), np.empty(0)
        if self._function is None or self._limits:
            row = self._ready.at([float(x) for x in values])
            numbers, given = np.array(row[5], dtype=float), np.array(row[6], dtype=float)
        if self._function is not None:
            numbers = np.concatenate([[self._by_function(values, bool(np.all(np.isfinite(numbers))))], numbers])
        slopes = np.zeros((1 + self._limits, self._space.size))
        if self.exact and given.size == slopes.size and np.all(np.isfinite(given)):
            slopes = given.reshape(slopes.shape) * (self._space.high - self._space.low) * self._sign[:, None]
        numbers = numbers * self._sign
        if np.all(np.isfinite(numbers)):
            worst = numbers if self._worst is None else np.maximum(self._worst, numbers)
            self._worst = worst
            self._scales = np.maximum(self._scales, np.abs(numbers[1:]))
            return numbers, True, slopes
        # A run that failed is worse than all that did not.
        worst = np.zeros(1 + self._limits) if self._worst is None else self._worst
        return worst + np.maximum(1.0, np.abs(worst)), False, slopes

    def _by_function(self, values: Array, worth_it: bool) -> float:
        if not worth_it or self._function is None:
            return np.nan
        try:
            run = _with(self._model, self._space, values).run(self._analysis, **self._options)
        except Error:
            if not self._seen:  # the first point of a search
                raise
            return np.nan
        return float(self._function(run))


def _with(model: Model, space: Space, values: Array) -> Model:
    return model.copy().set(**dict(zip(space.names, map(float, values), strict=True)))


def _difference(text: str) -> str:
    parts = re.split(r"(<=|>=)", text)
    if len(parts) != 3 or not parts[0].strip() or not parts[2].strip():
        raise usage(f"'{text}'", "measure <= value, or measure >= value")
    left, sign, right = parts
    return f"({left.strip()}) - ({right.strip()})" if sign == "<=" else f"({right.strip()}) - ({left.strip()})"


# ---- data to follow


class Misfit:
    """Differences between channels and data, and their derivatives by the scaled parameters."""

    def __init__(
        self,
        model: Model,
        space: Space,
        data: Mapping[str, tuple[Array, Array]],
        units: Mapping[str, str],
        weights: Mapping[str, float],
        analysis: str,
        options: Mapping[str, Any],
    ) -> None:
        self._model, self._space, self._data, self._analysis = model, space, data, analysis
        self._units = units
        times = np.unique(np.concatenate([t for t, _ in data.values()]))
        steps = np.diff(times)
        step = float(np.min(steps)) if len(steps) else 1.0
        # Rows at the times of the data where these are equally spaced from zero, otherwise as dense as cubics need.
        even = len(steps) > 0 and np.ptp(steps) < 1e-9 * times[-1] and abs(times[0] / step - round(times[0] / step)) < 1e-6
        between = not even and "output_step" not in options
        self._options = {"until": float(times[-1]), "output_step": step if even else step / 4, **options}
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
        if between:
            self._make_dense(float(times[-1]))

    def _make_dense(self, until: float) -> None:
        """Rows between which cubics change no residual any more, by more than 1e-7 of the spread of the data, and four times
        as many, for parameters with which the motion is faster. Where halves of a distance stop to bring anything, the run itself is not
        more exact."""
        step = min(self._options["output_step"], until / 100)
        before, last = None, np.inf
        while until / step < MOST_ROWS:
            self._options["output_step"] = step
            now = self._runs(self._space.now, False)[0]
            if before is not None:
                moved = float(np.max(np.abs(now - before)))
                if moved < 1e-7 or moved > last / 4:
                    break
                last = moved
            before = now
            step /= 2
        self._options["output_step"] = max(step / 4, until / MOST_ROWS)

    def known(self, u: Array) -> bool:
        return bool(np.all(np.isfinite(self.residuals(u))))

    def begin(self, u: Array) -> None:
        """The start of a search, whose run must not fail."""
        self.count, self._last = 0, None
        self._at(u)

    def residuals(self, u: Array) -> Array:
        """Not finite where a run fails: a search then tries shorter steps."""
        try:
            return self._at(u)[0]
        except Error:
            return np.full(sum(len(y) for _, y in self._data.values()), np.inf)

    def jacobian(self, u: Array) -> Array:
        if self.exact:
            found = self._at(u)[1]
            assert found is not None
            return found
        base = self.residuals(u)
        return np.stack([self._difference(u, base, k) for k in range(self._space.size)], axis=1)

    def _difference(self, u: Array, base: Array, k: int) -> Array:
        steps = [DIFFERENCE, -DIFFERENCE] if u[k] + DIFFERENCE <= 1 else [-DIFFERENCE]
        for step in steps:
            moved = u.copy()
            moved[k] += step
            try:
                return (self._runs(self._space.values(moved), False)[0] - base) / step
            except Error:
                if step == steps[-1]:
                    raise
        raise AssertionError

    def _at(self, u: Array) -> tuple[Array, Array | None]:
        values = self._space.values(u)
        key = values.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = (key, *self._runs(values, self.exact))
        return self._last[1], self._last[2]

    def _runs(self, values: Array, slopes: bool) -> tuple[Array, Array | None]:
        self.count += 1
        m = _with(self._model, self._space, values)
        more = {"sensitivity": self._space.names} if slopes else {"rows": "grid"}
        run = m.run(self._analysis, **{**self._options, **more})
        rest, columns = [], []
        for name, (t, y) in self._data.items():
            if name not in run:
                near = difflib.get_close_matches(name, run.channels, 3)
                raise usage(f"data of '{name}'", "a channel of the run", f"did you mean {' or '.join(near)}?" if near else "")
            own = run.channels[name].unit
            if name in self._units and self._units[name] != (unit_of(own)[1] if own else ""):
                raise usage(f"data of '{name}' in {self._units[name] or 'plain numbers'}", f"a unit as {own or 'plain numbers'}")
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
    low, high = float(np.min(t)), float(np.max(t))
    if low < at[0] - 1e-9 or high > at[-1] * (1 + 1e-9):
        raise usage(f"data from {low} s to {high} s", f"times of the run, {at[0]} s to {at[-1]} s")
    if len(at) < 4:
        return np.asarray(np.interp(t, at, values[first]))
    return np.asarray(CubicSpline(at, values[first])(t))


def unit_of(text: str) -> tuple[float, str]:
    """Factor to SI units and SI unit of what stands behind a number, as a parameter of a model has them.

    >>> unit_of("mm"), unit_of("rpm")[1]
    ((0.001, 'm'), 's^-1')
    """
    from .model import Model

    if not re.match(r"[A-Za-z1]", text):
        raise usage(f"'{text}'", "a unit")
    m = Model("One body with a parameter")
    m.parameters(one=f"1 {text}")
    m.body("it", at=[0, 0], mass=1, inertia=1)
    found = m.parameter("one")
    return found.value, found.unit


def usage(found: str, expected: str, hint: str = "") -> ModelError:
    return ModelError([Diagnostic("usage.bad-value", "error", found, expected, hint)])


__all__ = ["DIFFERENCE", "Array", "Measured", "Misfit", "Space", "unit_of", "usage"]
