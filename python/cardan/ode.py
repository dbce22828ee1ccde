"""Ordinary differential equations by every method of the library."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Solution:
    """Times ``t``, states ``y`` (one a row) and what they cost. ``message`` is empty where the end was reached."""

    t: Array
    y: Array
    message: str
    steps: int
    rejected: int
    nfev: int
    njev: int
    nlu: int

    @property
    def success(self) -> bool:
        return not self.message


def methods() -> dict[str, str]:
    """The methods by name, with a line about each.

    >>> "dop853" in methods()
    True
    """
    return {m["name"]: m["doc"] for m in json.loads(_core.ode_methods())}


def solve(
    f: Callable[[float, Array], ArrayLike],
    t_span: tuple[float, float],
    y0: ArrayLike,
    *,
    method: str = "dop853",
    rtol: float = 1e-6,
    atol: float = 1e-9,
    step: float = 0.0,
    order: int = 0,
    t_eval: ArrayLike | None = None,
    jacobian: Callable[[float, Array], ArrayLike] | None = None,
) -> Solution:
    """Integrates y' = f(t, y) from t_span[0] to t_span[1].

    Methods with a fixed step need ``step``; ``jacobian`` is f_y, row by row, which implicit methods find by
    differences otherwise. Rows are those of all steps, or at the times ``t_eval``.

    >>> import math
    >>> s = solve(lambda t, y: -y, (0, 1), [1.0], rtol=1e-10, atol=1e-12)
    >>> bool(abs(s.y[-1, 0] - math.exp(-1)) < 1e-9)
    True
    >>> solve(lambda t, y: -y, (0, 1), [1.0], method="rk4", step=0.1).steps
    10
    """
    start = np.ascontiguousarray(np.atleast_1d(y0), dtype=np.float64)
    times = None if t_eval is None else [float(t) for t in np.atleast_1d(t_eval)]
    found = _core.ode_solve(
        f, jacobian, float(t_span[0]), float(t_span[1]), start, method, order, step, rtol, atol, times
    )
    return Solution(**found)
