"""Ordinary differential equations by every method of the library."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Solution:
    """Times ``t``, states ``y`` (one a row), of y'' = f(t, y, v) also ``v``, and what they cost. ``message`` is empty where
    the end was reached."""

    t: Array
    y: Array
    message: str
    steps: int
    rejected: int
    nfev: int
    njev: int
    nlu: int
    v: Array | None = None

    @property
    def success(self) -> bool:
        return not self.message


def methods() -> dict[str, str]:
    """The methods by name, with a line about each.

    >>> "dop853" in methods()
    True
    """
    return {m["name"]: m["doc"] for m in json.loads(_core.ode_methods())}


def _times(times: Array, first: float, last: float) -> list[float]:
    onwards = times if last >= first else -times
    if times.ndim != 1 or np.any(np.diff(onwards) < 0):
        raise ValueError("t_eval: times in the order in which they are reached are expected")
    if not np.all((times >= min(first, last)) & (times <= max(first, last))):
        raise ValueError(f"t_eval: times from {first} to {last} are expected")
    return [float(t) for t in times]


def solve(
    f: Callable[..., ArrayLike],
    t_span: tuple[float, float],
    y0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    method: str = "dop853",
    rtol: float = 1e-6,
    atol: float = 1e-9,
    step: float = 0.0,
    order: int = 0,
    t_eval: ArrayLike | None = None,
    jacobian: Callable[[float, Array], ArrayLike] | None = None,
    **options: Any,
) -> Solution:
    """Integrates y' = f(t, y) from t_span[0] to t_span[1], or y'' = f(t, y, v) with v = y', where it is given ``v0``.

    Methods with a fixed step need ``step``; those for mechanical systems (newmark, hht, verlet, ...) need the second form.
    ``jacobian`` is f_y of the first form, row by row, which implicit methods find by differences otherwise. Rows are
    those of all steps, or at the times ``t_eval``. ``options`` are those of single methods: alpha, beta, gamma,
    rho_infinity, start, variant.

    >>> import math
    >>> s = solve(lambda t, y: -y, (0, 1), [1.0], rtol=1e-10, atol=1e-12)
    >>> bool(abs(s.y[-1, 0] - math.exp(-1)) < 1e-9)
    True
    >>> solve(lambda t, y: -y, (0, 1), [1.0], method="rk4", step=0.1).steps
    10
    >>> s = solve(lambda t, y, v: -y, (0, 1), [1.0], [0.0], method="generalized-alpha", step=1e-3, rho_infinity=0.9)
    >>> bool(abs(s.y[-1, 0] - math.cos(1)) < 1e-6 and abs(s.v[-1, 0] + math.sin(1)) < 1e-6)
    True
    """
    if np.iscomplexobj(y0) or (v0 is not None and np.iscomplexobj(v0)):
        raise ValueError("complex values; integrate real and imaginary parts side by side")
    start = np.ascontiguousarray(np.atleast_1d(y0), dtype=np.float64)
    size = len(start)
    if v0 is not None:
        rates = np.ascontiguousarray(np.atleast_1d(v0), dtype=np.float64)
        if rates.shape != start.shape:
            raise ValueError(f"{len(rates)} velocities for {size} positions")
        if jacobian is not None:
            raise ValueError("jacobian belongs to y' = f(t, y); without v0")
        start = np.concatenate([start, rates])
    times = None if t_eval is None else _times(np.atleast_1d(np.asarray(t_eval, dtype=float)), *map(float, t_span))
    try:
        found = _core.ode_solve(
            f, jacobian, float(t_span[0]), float(t_span[1]), start, v0 is not None, method, order, step, options, rtol, atol, times
        )
    except TypeError as error:
        raise TypeError(f"{error} (f is called as {'f(t, y)' if v0 is None else 'f(t, y, v)'}, the time first)") from error
    y = found.pop("y")
    if v0 is None:
        return Solution(y=y, **found)
    return Solution(y=y[:, :size], v=y[:, size:], **found)
