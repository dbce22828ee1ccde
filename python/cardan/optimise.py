"""Optimisation and fitting: parameters of a model that make a measure least, or its channels follow data.

    minimise  f(p)                 subject to  g(p) <= 0,  low <= p <= high
    minimise  sum (y(t_k; p) - y_k)^2 / s^2    likewise (fit)

on SciPy. Parameters are scaled to their bounds, so that all run from 0 to 1. Derivatives are those of the run's own
sensitivities where the analysis has them, otherwise differences. Of a measure f of channels y(t; p) it is
df/dp = sum f_y y_p, with f_y of the very formulas that f is computed by (maxima, integrals, crossings between rows).
"""

from __future__ import annotations

import csv
import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import Error
from .optimise_runs import DIFFERENCE, Array, Measured, Misfit, Space, unit_of, usage

if TYPE_CHECKING:
    from .model import Model
    from .results import Run

WITH_BOUNDS = ("SLSQP", "L-BFGS-B", "TNC", "trust-constr", "COBYLA", "COBYQA", "Nelder-Mead", "Powell")
WITH_LIMITS = ("SLSQP", "COBYLA", "COBYQA", "trust-constr")
WITH_GRADIENTS = {"SLSQP", "L-BFGS-B", "TNC", "trust-constr"}


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

    if method not in WITH_BOUNDS:
        near = difflib.get_close_matches(method, WITH_BOUNDS, 1)
        raise usage(f"method {method!r}", ", ".join(WITH_BOUNDS), f"did you mean {near[0]!r}?" if near else "")
    if subject_to and method not in WITH_LIMITS:
        raise usage(f"method {method!r} with subject_to", ", ".join(WITH_LIMITS))
    space = Space(model, over)
    exact = method in WITH_GRADIENTS
    sign = -1.0 if maximise else 1.0
    runs = Measured(model, space, objective, subject_to, analysis, options, exact, sign)
    limits: list[dict[str, Any]] = [
        {
            "type": "ineq",
            "fun": lambda u, k=k: -runs.at(u)[1 + k],
            **({"jac": lambda u, k=k: -runs.slopes(u)[1 + k]} if runs.exact else {}),
        }
        for k in range(len(subject_to))
    ]
    how = {"eps": DIFFERENCE, "ftol": 1e-12, "maxiter": 300} if method == "SLSQP" else {}
    found: list[Start] = []
    for u0 in space.starts(starts, seed):
        runs.begin()
        result = optimize.minimize(
            lambda u: runs.at(u)[0],
            u0,
            method=method,
            jac=(lambda u: runs.slopes(u)[0]) if runs.exact else None,
            bounds=[(0, 1)] * space.size,
            constraints=limits,
            options=how,
        )
        u = np.clip(result.x, 0, 1)
        value = float(sign * runs.at(u)[0]) if runs.known(u) else np.nan
        meets = all(g <= 1e-6 * max(1.0, runs.scale(k)) for k, g in enumerate(runs.at(u)[1:]))
        good = bool(result.success) and meets and runs.known(u)
        message = (
            "the run fails there, or what is asked of it has no value"
            if not runs.known(u)
            else str(result.message)
            if meets
            else f"a limit is not met ({result.message})"
        )
        found.append(Start(space.named(u0), space.named(u), value, good, message, runs.count))
    best = min(found, key=lambda s: (not s.success, sign * s.value if np.isfinite(s.value) else np.inf))
    left = runs.at(space.scaled(best.parameters))[1:]
    derivatives = "exact" if runs.exact else "differences"
    return _optimum(model, space, best, found, derivatives, dict(zip(subject_to, map(float, left), strict=True)))


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
    line, units in brackets (``t [ms],car.y [mm]``), SI units where there are none. ``weights`` are divisors of the
    differences, otherwise the spread of each channel's data.
    """
    from scipy import optimize

    wanted, units = read_data(data) if isinstance(data, (str, os.PathLike)) else (_arrays(data), {})
    _check_weights(weights or {}, wanted)
    space = Space(model, over)
    misfit = Misfit(model, space, wanted, units, weights or {}, analysis, options)
    jacobian: Any = misfit.jacobian  # SciPy's stubs know the names of methods only
    found: list[Start] = []
    for u0 in space.starts(starts, seed):
        try:
            misfit.begin(u0)
            result = optimize.least_squares(
                misfit.residuals,
                u0,
                jac=jacobian,
                bounds=(np.zeros(space.size), np.ones(space.size)),
                xtol=1e-12,
                ftol=1e-14,
                gtol=1e-14,
                max_nfev=200,
            )
        except Error as fault:
            found.append(Start(space.named(u0), space.named(u0), np.inf, False, str(fault), misfit.count))
            continue
        u = np.clip(result.x, 0, 1)
        good = bool(result.success) and misfit.known(u)
        found.append(Start(space.named(u0), space.named(u), 2 * result.cost, good, result.message, misfit.count))
    best = min(found, key=lambda s: (not s.success, s.value))
    return _optimum(model, space, best, found, "exact" if misfit.exact else "differences", {})


def read_data(path: str | os.PathLike[str]) -> tuple[dict[str, tuple[Array, Array]], dict[str, str]]:
    """Columns of a CSV file as (t, values) in SI units, and the SI units of those that have one in brackets: ``t [ms]``
    first, then channels; lines that begin with # are left out."""
    where = os.fspath(path)
    with open(path, encoding="utf-8-sig", newline="") as stream:
        lines = [row for row in csv.reader(stream) if any(cell.strip() for cell in row) and not row[0].startswith("#")]
    if len(lines) < 2:
        raise usage(f"{where} without data", "a line of names and lines of numbers")
    first = lines[0][0].strip()
    heads = [_head(cell, where) for cell in lines[0]] if first.partition("[")[0].strip() == "t" else []
    if not heads or heads[0][2] not in (None, "s"):
        raise usage(f"{where}: first column '{first}'", "t, without a unit or with one of time")
    names = [name for name, _, _ in heads]
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise usage(f"{where}: two columns '{twice[0]}'", "each channel once")
    if uneven := [row for row in lines[1:] if len(row) != len(names)]:
        raise usage(f"{where}: {len(uneven[0])} columns under {len(names)} names", "as many")
    try:
        numbers = np.array([[float(cell) for cell in row] for row in lines[1:]])
    except ValueError as fault:
        raise usage(f"{where}: {fault}", "numbers, as many in each line as there are names") from fault
    numbers *= [factor for _, factor, _ in heads]
    data = {name: (numbers[:, 0], numbers[:, k]) for k, name in enumerate(names) if k > 0}
    for name, (t, y) in data.items():
        _check_data(name, t, y, f"{where}: ")
    return data, {name: unit for name, _, unit in heads[1:] if unit is not None}


def _head(cell: str, where: str) -> tuple[str, float, str | None]:
    """Name, factor to SI and SI unit of a column, ``car.y [mm]``; no unit where none is said."""
    name, bracket, unit = cell.strip().partition("[")
    unit = unit.strip().removesuffix("]").strip()
    if not bracket or unit in ("", "-", "1"):
        return name.strip(), 1.0, None
    try:
        return name.strip(), *unit_of(unit)
    except Error as fault:
        raise usage(f"{where}: column '{cell.strip()}'", "a unit in brackets, such as mm, N or rad/s") from fault


def _check_weights(weights: Mapping[str, float], data: Mapping[str, Any]) -> None:
    for name, weight in weights.items():
        if name not in data:
            raise usage(f"a weight of '{name}'", f"channels of the data: {', '.join(data)}")
        if not 0 < weight < np.inf:
            raise usage(f"weight {weight} of '{name}'", "a number above zero, by which differences are divided")


def _check_data(name: str, t: Array, y: Array, where: str = "") -> None:
    if not np.all(np.isfinite(t)) or np.any(t < 0):
        raise usage(f"{where}times of '{name}' of which one is {t[~(np.isfinite(t) & (t >= 0))][0]}", "numbers of seconds from 0 on")
    if not np.all(np.isfinite(y)):
        k = int(np.flatnonzero(~np.isfinite(y))[0])
        raise usage(f"{where}'{name}' at {t[k]} s is {y[k]}", "numbers; leave out what was not measured")


def _arrays(data: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> dict[str, tuple[Array, Array]]:
    out = {}
    for name, (t, y) in data.items():
        pair = np.asarray(t, dtype=float), np.asarray(y, dtype=float)
        if pair[0].shape != pair[1].shape or pair[0].ndim != 1 or not len(pair[0]):
            raise usage(f"'{name}' with {pair[0].size} times and {pair[1].size} values", "as many of both")
        _check_data(name, *pair)
        out[name] = pair
    if not out:
        raise usage("no data", "channels with times and values")
    return out


def _optimum(
    model: Model, space: Space, best: Start, found: list[Start], derivatives: str, constraints: dict[str, float]
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


__all__ = ["Optimum", "Start", "fit", "minimise", "read_data"]
