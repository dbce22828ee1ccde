"""Equations in numbers, and integrators on functions of one's own."""

import math

import cardan
import numpy as np
import pytest


@pytest.mark.parametrize("name", ["slider-crank", "andrews", "spherical-pendulum", "four-bar", "equations-pendulum"])
def test_equations_hold(models, name):
    s = cardan.load(models / name).system()
    t, q, v = s.t, s.q, s.v
    on = s.active
    J = s.phi_q(t, q).toarray()
    a, multipliers = s.solve(t, q, v)
    force = s.Q(t, q, v)
    assert np.abs(s.phi(t, q)[on]).max(initial=0) < 1e-10
    assert np.abs(J[on] @ v - s.nu(t, q)[on]).max(initial=0) < 1e-10
    size = np.abs(force).max() + np.abs(J.T @ multipliers).max(initial=0)
    assert np.abs(s.M(t, q) @ a + J.T @ multipliers - force).max() < 1e-9 * max(size, 1)
    assert np.abs(J[on] @ a - s.gamma(t, q, v)[on]).max(initial=0) < 1e-8 * max(np.abs(a).max(), 1)
    assert J.shape == (len(s.equation_names), len(s.velocity_names))
    assert len(q) == len(s.position_names)


def test_null_space_partition_and_projections(models):
    s = cardan.load(models / "slider-crank").system()
    J = s.phi_q(0, s.q).toarray()[s.active]
    N = s.null_space(0, s.q)
    assert np.abs(J @ N).max() < 1e-12
    assert np.allclose(N.T @ N, np.eye(N.shape[1]))
    independent, dependent = s.partition(0, s.q)
    assert len(independent) == 1 and len(dependent) == 8
    assert np.linalg.matrix_rank(J[:, dependent]) == 8
    off = s.q + 1e-3
    assert np.abs(s.phi(0, s.project_positions(0, off))).max() < 1e-12
    v = s.project_velocities(0, s.q, s.v + 1)
    assert np.abs(J @ v).max() < 1e-12


def test_derivatives_against_differences(models):
    s = cardan.load(models / "slider-crank").system()
    v = s.project_velocities(0, s.q, s.v)
    h = 1e-6
    columns = [(s.Q(0, s.q + h * e, v) - s.Q(0, s.q - h * e, v)) / (2 * h) for e in np.eye(len(s.q))]
    exact = s.derivative("Q_q", 0, s.q, v).toarray()
    assert np.abs(np.array(columns).T - exact).max() < 1e-4 * np.abs(exact).max()
    with pytest.raises(ValueError):
        s.derivative("Q_t", 0, s.q, v)


def test_many_states_at_once(models):
    s = cardan.load(models / "slider-crank").system()
    q = np.tile(s.q, (5, 1))
    v = s.v * np.linspace(0, 1, 5)[:, None]
    together = s.accelerations(0.0, q, v)
    assert together.shape == (5, len(s.v))
    for k in range(5):
        assert (together[k] == s.accelerations(0.0, q[k], v[k])).all()


def test_wrong_sizes_are_named(models):
    s = cardan.load(models / "slider-crank").system()
    with pytest.raises(cardan.ModelError, match="q with 3 numbers; expected 9"):
        s.phi(0, [1, 2, 3])
    for t, q, v in ((0, [[s.q]], [[s.v]]), ([[0]], s.q, s.v)):
        with pytest.raises(ValueError, match="dimensions"):
            s.accelerations(t, q, v)
    with pytest.raises(ValueError, match="complex"):
        s.accelerations(0, s.q + 0j, s.v)


def test_andrews_with_an_integrator_of_scipy(models):
    from scipy.integrate import solve_ivp

    m = cardan.load(models / "andrews")
    run = m.run("dynamic", until=0.03, rtol=1e-10)
    s = m.system()
    n = len(s.q)

    def f(t, y):
        return np.concatenate([s.rate(y[:n], y[n:]), s.accelerations(t, y[:n], y[n:])])

    end = solve_ivp(f, (0, 0.03), np.concatenate([s.q, s.v]), method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    channel = next(c for c in run.channels if c.endswith(".angle"))
    body = channel.removesuffix(".angle")
    place = s.position_names.index(f"angle of '{body}'")
    assert abs(end[place] - run[channel][-1]) < 1e-7


@pytest.mark.parametrize("name", ["ode45", "dop853", "adams", "bdf", "radau5", "rosenbrock"])
def test_methods_on_a_python_function(name):
    s = cardan.ode.solve(lambda t, y: [y[1], -y[0]], (0, 1), [1.0, 0.0], method=name, rtol=1e-8, atol=1e-10)
    assert s.success
    assert abs(s.y[-1, 0] - math.cos(1)) < 1e-6
    assert s.nfev > 0 and s.t[0] == 0 and s.t[-1] == 1


@pytest.mark.parametrize("name", list(cardan.ode.methods()))
def test_every_method_of_the_library(name):
    """x'' = -x by each, as y' = f(t, y) where the method takes that, as y'' = f(t, y, v) in any case."""
    how = {"rtol": 1e-7, "atol": 1e-9}
    try:
        cardan.ode.solve(lambda t, y, v: -y, (0, 1), [1.0], [0.0], method=name, **how)
    except cardan.ModelError as fault:
        assert "step" in str(fault)
        how = {"step": 1e-3}
    second = cardan.ode.solve(lambda t, y, v: -y, (0, 1), [1.0], [0.0], method=name, **how)
    assert second.success and second.y.shape == second.v.shape == (len(second.t), 1)
    first_order = name in ("euler", "euler2", "semi-implicit", "backward-euler", "taylor2")
    bound = 2e-3 if first_order else 2e-4
    assert abs(second.y[-1, 0] - math.cos(1)) < bound and abs(second.v[-1, 0] + math.sin(1)) < bound
    try:
        first = cardan.ode.solve(lambda t, y: [y[1], -y[0]], (0, 1), [1.0, 0.0], method=name, **how)
    except cardan.ModelError as fault:
        assert "in positions and velocities" in str(fault)
    else:
        assert abs(first.y[-1, 0] - math.cos(1)) < bound


def test_options_of_methods():
    def solve(**how):
        return cardan.ode.solve(lambda t, y, v: -y, (0, 10), [1.0], [0.0], step=0.05, **how)

    damped, kept = solve(method="hht", alpha=-0.3), solve(method="hht", alpha=0.0)
    energy = [float(s.y[-1, 0] ** 2 + s.v[-1, 0] ** 2) for s in (damped, kept)]
    assert energy[0] < energy[1] - 5e-5 and abs(energy[1] - 1) < 1e-3
    with pytest.raises(cardan.ModelError, match="rho_infinity"):
        solve(method="hht", rho_infinity=0.5)
    with pytest.raises(cardan.ModelError, match="alpa"):
        solve(method="hht", alpa=0.5)
    with pytest.raises(ValueError, match="2 velocities for 1"):
        cardan.ode.solve(lambda t, y, v: -y, (0, 1), [1.0], [0.0, 1.0])


def test_output_times_and_a_jacobian():
    calls = []

    def jacobian(t, y):
        calls.append(t)
        return [[-1000.0]]

    s = cardan.ode.solve(
        lambda t, y: -1000 * (y - math.cos(t)), (0, 1), [0.0], method="radau5", t_eval=[0, 0.5, 1], jacobian=jacobian
    )
    assert s.t.tolist() == [0, 0.5, 1]
    assert calls
    assert abs(s.y[-1, 0] - math.cos(1)) < 2e-3


def test_times_that_are_not_reached():
    """Rows at times beyond the end, or out of order, would be missing or wrong."""
    for times in ([0, 2], [-1, 0.5], [0.5, 0.2], [[0.1, 0.2]]):
        with pytest.raises(ValueError, match="t_eval"):
            cardan.ode.solve(lambda t, y: -y, (0, 1), [1.0], t_eval=times)
    back = cardan.ode.solve(lambda t, y: -y, (1, 0), [1.0], t_eval=[0.75, 0.25], rtol=1e-10)
    assert np.allclose(back.y[:, 0], np.exp(1 - back.t), rtol=1e-8) and back.t.tolist() == [0.75, 0.25]
    with pytest.raises(ValueError, match="complex"):
        cardan.ode.solve(lambda t, y: 1j * y, (0, 1), [1 + 0j])


def test_faults_of_functions():
    with pytest.raises(ZeroDivisionError):
        cardan.ode.solve(lambda t, y: 1 / 0, (0, 1), [1.0])
    with pytest.raises(ValueError, match="2 numbers instead of 1"):
        cardan.ode.solve(lambda t, y: [1.0, 2.0], (0, 1), [1.0])
    with pytest.raises(cardan.ModelError, match="dop853"):
        cardan.ode.solve(lambda t, y: -y, (0, 1), [1.0], method="dop85")
    blow_up = cardan.ode.solve(lambda t, y: y * y, (0, 2), [1.0])
    assert not blow_up.success and "numeric." in blow_up.message


def test_a_function_with_its_arguments_the_other_way_round():
    with pytest.raises(TypeError, match=r"f\(t, y\), the time first"):
        cardan.ode.solve(lambda y, t: [y[1], -y[0]], (0, 1), [1.0, 0.0])
