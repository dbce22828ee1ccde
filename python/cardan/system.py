"""The equations of a mechanism in numbers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

Array = NDArray[np.float64]


def _row(x: ArrayLike) -> Array:
    if np.iscomplexobj(x):
        raise ValueError("complex values; real ones are expected")
    return np.ascontiguousarray(x, dtype=np.float64)


def _rows(name: str, x: ArrayLike) -> Array:
    if np.ndim(x) > 2:
        raise ValueError(f"{name} with {np.ndim(x)} dimensions; one state, or a state in each row")
    return np.atleast_2d(_row(x))


def _matrix(parts: tuple[Array, NDArray[np.int32], NDArray[np.int32], tuple[int, int]]) -> Any:
    """A SciPy sparse array, or a NumPy array where there is no SciPy."""
    values, rows, begins, shape = parts
    try:
        from scipy.sparse import csc_array
    except ImportError:
        out = np.zeros(shape)
        for k in range(shape[1]):
            out[rows[begins[k] : begins[k + 1]], k] = values[begins[k] : begins[k + 1]]
        return out
    return csc_array((values, rows, begins), shape=shape)


class System:
    """M(q) a + phi_q^T lambda = Q(t, q, v), phi(t, q) = 0, phi_q v = nu, phi_q a = gamma.

    Positions q and velocities v are those of the mass centres; in space a body has a quaternion (w first)
    among its positions and an angular velocity in its own axes among its velocities, so ``rate`` gives q'
    of v. Derivatives by q are taken along velocities. Rows that are not ``active`` are redundant, or
    limits that do not act. First-order states and inputs stay as they are at the start.

    >>> from cardan import loads
    >>> s = loads('''
    ... gravity = [0, -10]
    ... [[body]]
    ... name = "bob"
    ... at = [1, 0]
    ... mass = 2
    ... inertia = 0.1
    ... [[joint]]
    ... type = "revolute"
    ... name = "pin"
    ... between = ["ground", "bob"]
    ... at = [0, 0]''').system()
    >>> s.velocity_names
    ["x of 'bob'", "y of 'bob'", "angle of 'bob'"]
    >>> s.accelerations(0, s.q, s.v).round(6).tolist()
    [0.0, -9.52381, -9.52381]
    """

    def __init__(self, core: _core.System) -> None:
        self._core = core
        facts = json.loads(core.facts())
        self.position_names: list[str] = facts["positions"]
        self.velocity_names: list[str] = facts["velocities"]
        self.equation_names: list[str] = facts["equations"]
        self.active: NDArray[np.bool_] = np.array(facts["active"], dtype=bool)

    @property
    def t(self) -> float:
        """The time of the assembled start."""
        return self._core.t()

    @property
    def q(self) -> Array:
        """Its positions."""
        return np.asarray(self._core.q())

    @property
    def v(self) -> Array:
        """Its velocities."""
        return np.asarray(self._core.v())

    def phi(self, t: float, q: ArrayLike) -> Array:
        return np.asarray(self._core.phi(t, _row(q)))

    def phi_q(self, t: float, q: ArrayLike) -> Any:
        return _matrix(self._core.phi_q(t, _row(q)))

    def nu(self, t: float, q: ArrayLike) -> Array:
        return np.asarray(self._core.nu(t, _row(q)))

    def gamma(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        return np.asarray(self._core.gamma(t, _row(q), _row(v)))

    def Q(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        return np.asarray(self._core.Q(t, _row(q), _row(v)))

    def M(self, t: float | None = None, q: ArrayLike | None = None) -> Any:
        """The mass matrix; it depends on q in coordinates of one's own only."""
        q = self.q if q is None else q
        return _matrix(self._core.M(self.t if t is None else t, _row(q), np.zeros(len(self.velocity_names))))

    def derivative(self, name: str, t: float, q: ArrayLike, v: ArrayLike) -> Any:
        """Q_q, Q_v, gamma_q, gamma_v, phi_q_a_q or phi_qT_lambda_q, with the a and lambda of this state."""
        names = ("Q_q", "Q_v", "gamma_q", "gamma_v", "phi_q_a_q", "phi_qT_lambda_q")
        if name not in names:
            raise ValueError(f"{name!r} is none of {', '.join(names)}")
        return _matrix(getattr(self._core, name)(t, _row(q), _row(v)))

    def accelerations(self, t: ArrayLike, q: ArrayLike, v: ArrayLike) -> Array:
        """a at one state, or at many: one a row, with one time or a time each."""
        return self.solve(t, q, v)[0]

    def solve(self, t: ArrayLike, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """a and lambda at one state, or at many."""
        one = np.ndim(q) == 1
        if np.ndim(t) > 1:
            raise ValueError(f"t with {np.ndim(t)} dimensions; one time, or a time for each state")
        a, multipliers = self._core.accelerations(np.atleast_1d(_row(t)), _rows("q", q), _rows("v", v))
        a, multipliers = np.asarray(a), np.asarray(multipliers)
        return (a[0], multipliers[0]) if one else (a, multipliers)

    def rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """q' of v."""
        return np.asarray(self._core.rate(_row(q), _row(v)))

    def advance(self, q: ArrayLike, d: ArrayLike) -> Array:
        """The positions that a small displacement d, in the directions of v, leads to."""
        return np.asarray(self._core.advance(_row(q), _row(d)))

    def project_positions(self, t: float, q: ArrayLike) -> Array:
        """Positions that satisfy phi = 0, at the least distance in the metric of M."""
        return np.asarray(self._core.project_positions(t, _row(q)))

    def project_velocities(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocities that satisfy phi_q v = nu, likewise."""
        return np.asarray(self._core.project_velocities(t, _row(q), _row(v)))

    def null_space(self, t: float, q: ArrayLike) -> Array:
        """An orthonormal basis of all v with phi_q v = 0, one a column."""
        return np.asarray(self._core.null_space(t, _row(q)))

    def partition(self, t: float, q: ArrayLike) -> tuple[list[int], list[int]]:
        """Velocities by number: independent ones, and those that follow from them."""
        independent = list(self._core.independent(t, _row(q)))
        return independent, [k for k in range(len(self.velocity_names)) if k not in set(independent)]
