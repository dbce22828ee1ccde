"""Optimisation and fitting find what they were made from; bad input is named."""

import json
import os
import subprocess
import sys

import cardan
import numpy as np
import pytest
from cardan.optimise_runs import Measured, Space

QUARTER_CAR = """
gravity = [0, "-9.81 m/s^2"]
[parameters]
stiffness = "22 kN/m"
damping = "1500 N*s/m"
[[body]]
name = "car"
at = [0, "0.4 m"]
mass = "320 kg"
inertia = "40 kg*m^2"
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "car"]
axis = [0, 1]
[[force]]
type = "spring"
name = "suspension"
between = ["ground", "car"]
points = [[0, 0], [0, 0]]
stiffness = "stiffness"
damping = "damping"
free_length = "0.5 m"
[[analysis]]
type = "dynamic"
until = "2 s"
rtol = 1e-9
"""


def step_of_a_car(stiffness, damping, t):
    """m y'' + c y' + k (y - 0.5) + m g = 0 from rest at 0.4 m, in closed form."""
    m, g = 320.0, 9.81
    rest = 0.5 - m * g / stiffness
    decay = damping / (2 * m)
    rate = np.sqrt(stiffness / m - decay**2)
    off = 0.4 - rest
    return rest + off * np.exp(-decay * t) * (np.cos(rate * t) + decay / rate * np.sin(rate * t))


def test_spring_and_damper_from_a_measured_step(tmp_path):
    t = np.linspace(0, 2, 101)
    y = step_of_a_car(27e3, 2100, t)
    file = tmp_path / "step.csv"
    file.write_text("t [s],car.y [m]\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(t.tolist(), y.tolist())))
    over = {"stiffness": "10:60 kN/m", "damping": "500:5000 N*s/m"}
    found = cardan.fit(cardan.loads(QUARTER_CAR), file, over)
    assert found.success and found.derivatives == "exact"
    assert abs(found.parameters["stiffness"] / 27e3 - 1) < 1e-6
    assert abs(found.parameters["damping"] / 2100 - 1) < 1e-6
    assert found.model.parameter("damping").value == found.parameters["damping"]


def test_noise_moves_the_fit_as_its_covariance_says():
    random = np.random.default_rng(3)
    t = np.linspace(0, 2, 201)
    y = step_of_a_car(27e3, 2100, t) + random.normal(0, 1e-3, len(t))
    found = cardan.fit(cardan.loads(QUARTER_CAR), {"car.y": (t, y)}, {"stiffness": "10:60 kN/m", "damping": "500:5000 N*s/m"})
    slopes = np.stack(
        [(step_of_a_car(27e3 + a, 2100 + b, t) - step_of_a_car(27e3 - a, 2100 - b, t)) / (2 * (a + b)) for a, b in ((1, 0), (0, 1))],
        axis=1,
    )
    deviation = 1e-3 * np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))
    off = np.array([found.parameters["stiffness"] - 27e3, found.parameters["damping"] - 2100])
    assert np.all(np.abs(off) < 4 * deviation) and np.any(np.abs(off) > 1e-3 * deviation)


def test_four_bar_whose_coupler_point_follows_a_path(models):
    m = cardan.load(models / "four-bar")
    run = m.copy().set(crank="65 mm", coupler="170 mm", rocker="140 mm").run("kinematic", until=1, output_step=0.02)
    path = {c: (np.asarray(run.t), np.asarray(run[c])) for c in ("coupler curve.x", "coupler curve.y")}
    over = {"crank": "50:75 mm", "coupler": "140:190 mm", "rocker": "125:165 mm"}
    found = cardan.fit(m, path, over, starts=10, seed=1, analysis="kinematic")
    assert found.derivatives == "exact"
    reached = [s for s in found.starts if s.success and s.value < 1e-12]
    assert len(reached) >= 8  # of ten starts
    for s in reached:
        assert np.allclose([s.parameters[n] for n in over], [0.065, 0.17, 0.14], atol=1e-7)


def test_least_under_a_limit():
    # The softest damper whose overshoot is a tenth of the step: exp(-pi decay/rate) = 0.1.
    mass, stiffness, g = 320.0, 22e3, 9.81
    rest = 0.5 - mass * g / stiffness
    ratio = np.log(10) / np.pi
    known = 2 * mass * np.sqrt(stiffness / mass / (1 + 1 / ratio**2))
    best = cardan.minimise(
        cardan.loads(QUARTER_CAR),
        'max(abs("car.vy"))',
        {"damping": "500:6000 N*s/m"},
        subject_to=[f'{rest!r} m - min("car.y") <= {0.1 * (0.4 - rest)!r} m'],
        maximise=True,
    )
    assert best.success and best.derivatives == "exact"
    assert abs(best.parameters["damping"] / known - 1) < 1e-3


def test_exact_gradients_need_fewer_runs_and_agree_with_differences():
    over = {"stiffness": "15:40 kN/m", "damping": "500:6000 N*s/m"}
    # Softest ride to a height at a time, without overshoot beyond a limit.
    objective = '(final("car.y") - 0.36 m)^2 * 1e4 + (at("car.y", 0.5 s) - 0.37 m)^2 * 1e4'
    exact = cardan.minimise(cardan.loads(QUARTER_CAR), objective, over)
    differences = cardan.minimise(cardan.loads(QUARTER_CAR), lambda run: value_of(run), over)
    assert exact.success and exact.derivatives == "exact" and differences.derivatives == "differences"
    assert exact.evaluations < differences.evaluations
    assert exact.value <= differences.value + 1e-6
    assert abs(exact.parameters["stiffness"] / differences.parameters["stiffness"] - 1) < 1e-2


# What the settings follow from in curves: derivatives differ from point to point.
OF_ITS_WIRE = QUARTER_CAR.replace(
    'stiffness = "22 kN/m"\ndamping = "1500 N*s/m"',
    """wire = "10 mm"
turns = "8"
stiffness = "22 kN/m*(wire/(10 mm))^4*8/turns"
damping = "1500 N*s/m*(wire/(10 mm))^2"
""",
)


def test_derivatives_are_those_at_the_point():
    m = cardan.loads(OF_ITS_WIRE)
    space = Space(m, {"wire": "5:15 mm", "turns": "5:12", "stiffness": "1:100 kN/m"})
    runs = Measured(m, space, 'at("car.y", 0.4 s)', ['rms("car.y") <= 1 m'], "", {}, True, 1.0)
    assert runs.exact
    for wire, turns, stiffness in ((0.01, 8, 22e3), (0.012, 9, 30e3), (0.007, 11, 15e3)):
        u = space.scaled({"wire": wire, "turns": turns, "stiffness": stiffness})
        slopes = runs.slopes(u)
        for k in range(space.size):
            step = 1e-4 * np.eye(space.size)[k]
            assert slopes[:, k] == pytest.approx((runs.at(u + step) - runs.at(u - step)) / 2e-4, rel=1e-5, abs=1e-9)


def test_a_parameter_that_follows_from_others_is_where_they_put_it():
    """Its derivative is taken there, not at its value in the file."""
    m = cardan.loads(OF_ITS_WIRE)
    request = cardan._core.SweepRequest()
    request.model = m._request("", {"sensitivity": ["turns", "stiffness"]})
    request.vary, request.measures = ["wire=9,12 mm", "turns=11,7"], ['y = at("car.y", 0.4 s)']
    request.design("zip", 0, 0)
    for wire, turns in ((0.009, 11), (0.012, 7)):
        by_turns, by_stiffness = cardan._core.ReadySweep.of(request).at([wire, turns])[6]
        stiffness = 22e3 * (wire / 0.01) ** 4 * 8 / turns
        assert by_turns == pytest.approx(-by_stiffness * stiffness / turns, rel=1e-6)


def test_a_search_ends_where_the_derivative_is_zero(models):
    m = cardan.loads(OF_ITS_WIRE)
    best = cardan.minimise(m, '(at("car.y", 0.4 s) - 0.42 m)^2*1e4', {"wire": "8:14 mm", "turns": "5:12"}, starts=3)
    assert best.success and best.derivatives == "exact" and best.value < 1e-12
    assert all(s.evaluations < 40 for s in best.starts)


@pytest.mark.parametrize("objective", ['max("car.vy")', 'crossing("car.vy", 0, 7)'])
def test_a_search_measures_as_a_sweep_does(objective):
    """A hundred swings, of which 200 rows show two each."""
    m = cardan.loads(QUARTER_CAR, stiffness="400 kN/m", damping="50 N*s/m")
    best = cardan.minimise(m, objective, {"damping": "40:60 N*s/m"}, until=20)
    assert best.derivatives == "exact"
    measured = cardan.sweep(m, {"damping": [best.parameters["damping"]]}, {"x": objective}, until=20)["x"][0]
    assert best.value == pytest.approx(measured, rel=1e-5)


def test_a_search_of_a_driven_motion_measures_as_a_sweep_does(models):
    m = cardan.load(models / "four-bar")
    objective = 'max("coupler curve.y") - min("coupler curve.y")'
    best = cardan.minimise(m, objective, {"crank": "55:65 mm"}, analysis="kinematic", until=40)
    assert best.derivatives == "exact"
    measured = cardan.sweep(m, {"crank": [best.parameters["crank"]]}, {"x": objective}, analysis="kinematic", until=40)["x"][0]
    assert best.value == pytest.approx(measured, rel=1e-5)


def value_of(run):
    y = np.asarray(run["car.y"])
    return 1e4 * (y[-1] - 0.36) ** 2 + 1e4 * (np.interp(0.5, run.t, y) - 0.37) ** 2


def test_where_there_are_no_sensitivities_differences_are_taken(models):
    m = cardan.load(models / "pendulum-stops")  # impacts have none
    best = cardan.minimise(m, 'max("bar.omega")', {"bar": "0.4:0.6 m"}, until=0.3)
    assert best.derivatives == "differences" and best.success


@pytest.mark.parametrize(
    "over, words",
    [
        ({"dampng": "1:2"}, "dampng"),
        ({"damping": "1:2 m"}, "damping"),
        ({"damping": "5:5 N*s/m"}, "lower bound"),
        ({"damping": "5 N*s/m"}, "bounds"),
        ({}, "no parameter"),
    ],
)
def test_bad_bounds(over, words):
    with pytest.raises(cardan.ModelError, match=words):
        cardan.minimise(cardan.loads(QUARTER_CAR), 'max("car.y")', over)


def test_a_measure_that_is_not_there():
    with pytest.raises(cardan.ModelError, match="car.y"):
        cardan.minimise(cardan.loads(QUARTER_CAR), 'max("car.yy")', {"damping": "1:2000 N*s/m"})
    with pytest.raises(cardan.ModelError, match="<="):
        cardan.minimise(cardan.loads(QUARTER_CAR), 'max("car.y")', {"damping": "1:2000 N*s/m"}, subject_to=["3"])


# The piston of a slider-crank stands at crank + sqrt(rod^2 - offset^2): beyond offset = rod there is none.
REACH = """
[parameters]
offset = "0.05 m"
rod = "0.2 m"
[[body]]
name = "piston"
at = ["sqrt(rod^2 - offset^2)", 0]
mass = 1
inertia = 1
velocity = ["offset / 1 s", 0]
[[analysis]]
type = "dynamic"
until = 0.1
"""


def test_points_that_fail_are_no_optimum():
    """Where the model cannot be run, a search for the largest value as for the least goes elsewhere."""
    for maximise, known in ((True, 0.2), (False, 0.0)):
        best = cardan.minimise(
            cardan.loads(REACH), '-1*initial("piston.x")', {"offset": "0:0.3 m"}, maximise=maximise, method="Nelder-Mead", starts=3
        )
        assert best.success and abs(best.parameters["offset"] - known) < 1e-3, maximise
    best = cardan.minimise(
        cardan.loads(REACH), lambda run: -float(run["piston.x"][0]), {"offset": "0:0.3 m"}, maximise=True, method="Nelder-Mead"
    )
    assert best.success and abs(best.parameters["offset"] - 0.2) < 1e-3


def test_a_fit_passes_points_that_fail():
    truth = cardan.loads(REACH, offset=0.19).run(output_step=0.01, rows="grid")
    found = cardan.fit(cardan.loads(REACH), {"piston.x": (truth.t, truth["piston.x"])}, {"offset": "0:0.3 m"}, starts=4)
    assert found.success and abs(found.parameters["offset"] - 0.19) < 1e-7
    assert any(not s.success for s in found.starts)  # those that begin beyond the rod


@pytest.mark.parametrize("count", [6, 12])
def test_few_data_at_uneven_times(count):
    """Of a car that swings several times between two of them."""
    random = np.random.default_rng(count)
    t = np.sort(np.linspace(0.13, 1.9, count) + random.uniform(-0.05, 0.05, count))
    found = cardan.fit(
        cardan.loads(QUARTER_CAR), {"car.y": (t, step_of_a_car(400e3, 2100, t))}, {"stiffness": "300:500 kN/m", "damping": "500:5000 N*s/m"}, starts=2
    )
    assert found.parameters == pytest.approx({"stiffness": 400e3, "damping": 2100}, rel=1e-5)


@pytest.mark.parametrize(
    ("t", "y", "words"),
    [
        ([0, 0.1], [0.4, np.nan], "'car.y' at 0.1 s is nan"),
        ([0, np.inf], [0.4, 0.4], "one is inf"),
        ([-0.1, 0.1], [0.4, 0.4], "one is -0.1"),
    ],
)
def test_data_that_are_no_numbers(tmp_path, t, y, words):
    over = {"damping": "500:5000 N*s/m"}
    with pytest.raises(cardan.ModelError, match=words):
        cardan.fit(cardan.loads(QUARTER_CAR), {"car.y": (t, y)}, over)
    file = tmp_path / "step.csv"
    file.write_text("t,car.y\n" + "".join(f"{a},{b}\n" for a, b in zip(t, y)))
    with pytest.raises(cardan.ModelError, match="step.csv: .*" + words):
        cardan.fit(cardan.loads(QUARTER_CAR), file, over)


@pytest.mark.parametrize(
    ("head", "t", "y"),
    [("t [ms],car.y [mm]", 1e3, 1e3), ("t,car.y [cm]", 1, 1e2), ("t [s],car.y", 1, 1), ("t [min], car.y [ in ]", 1 / 60, 1 / 0.0254)],
)
def test_units_of_columns_are_those_in_brackets(tmp_path, head, t, y):
    times = np.linspace(0, 2, 41)
    file = tmp_path / "step.csv"
    pairs = zip((t * times).tolist(), (y * step_of_a_car(27e3, 2100, times)).tolist())
    file.write_text(f"{head}\n" + "".join(f"{a!r},{b!r}\n" for a, b in pairs))
    found = cardan.fit(cardan.loads(QUARTER_CAR), file, {"stiffness": "10:60 kN/m", "damping": "500:5000 N*s/m"})
    assert found.success
    assert abs(found.parameters["stiffness"] / 27e3 - 1) < 1e-6


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("t,car.y [N]\n0,0.4\n1,0.4", r"'car\.y' in N; expected a unit as m"),
        ("t,car.y [deg]\n0,0.4\n1,0.4", r"'car\.y' in plain numbers; expected a unit as m"),
        ("t,car.y [mmm]\n0,0.4\n1,0.4", r"column 'car\.y \[mmm\]'"),
        ("t,car.y [+ 3]\n0,0.4\n1,0.4", r"column 'car\.y \[\+ 3\]'"),
        ("t [m],car.y\n0,0.4\n1,0.4", "unit or with one of time"),
        ("t,car.y,car.y\n0,0.4,0.4\n1,0.4,0.4", r"two columns 'car\.y'"),
        ("t,car.y\n0,0.4,3\n1,0.4", "3 columns under 2 names"),
    ],
)
def test_columns_that_are_wrong(tmp_path, lines, words):
    file = tmp_path / "step.csv"
    file.write_text(lines + "\n")
    with pytest.raises(cardan.ModelError, match=words):
        cardan.fit(cardan.loads(QUARTER_CAR), file, {"damping": "500:5000 N*s/m"})


@pytest.mark.parametrize(("weights", "words"), [({"car.vy": 1}, "'car.vy'"), ({"car.y": 0}, "weight 0"), ({"car.y": np.nan}, "nan")])
def test_weights_that_are_wrong(weights, words):
    with pytest.raises(cardan.ModelError, match=words):
        cardan.fit(cardan.loads(QUARTER_CAR), {"car.y": ([0, 1], [0.4, 0.4])}, {"damping": "500:5000 N*s/m"}, weights=weights)


def test_data_beyond_the_run():
    with pytest.raises(cardan.ModelError, match="to 3.0 s"):
        cardan.fit(cardan.loads(QUARTER_CAR), {"car.y": ([0, 3], [0.4, 0.4])}, {"damping": "500:5000 N*s/m"}, until=2)


def test_methods_of_search():
    with pytest.raises(cardan.ModelError, match="did you mean 'SLSQP'"):
        cardan.minimise(cardan.loads(QUARTER_CAR), 'max("car.y")', {"damping": "1:2000 N*s/m"}, method="SLQP")
    with pytest.raises(cardan.ModelError, match="subject_to"):
        cardan.minimise(cardan.loads(QUARTER_CAR), 'max("car.y")', {"damping": "1:2000 N*s/m"}, method="Powell", subject_to=['max("car.y") <= 1 m'])


def test_what_did_not_go_well_is_said():
    over = {"damping": "500:5000 N*s/m"}
    nowhere = cardan.minimise(cardan.loads(QUARTER_CAR), lambda run: np.nan, over)
    assert not nowhere.success and "has no value" in str(nowhere)
    beyond = cardan.minimise(cardan.loads(QUARTER_CAR), 'max("car.y")', over, subject_to=['max("car.y") <= 0.1 m'], until=0.1)
    assert not beyond.success and "a limit is not met" in str(beyond)


@pytest.mark.parametrize("starts", [0, -3])
def test_searches_have_a_start(starts):
    over = {"damping": "500:5000 N*s/m"}
    with pytest.raises(cardan.ModelError, match=f"{starts} starts"):
        cardan.minimise(cardan.loads(QUARTER_CAR), 'max("car.y")', over, starts=starts)
    with pytest.raises(cardan.ModelError, match=f"{starts} starts"):
        cardan.fit(cardan.loads(QUARTER_CAR), {"car.y": ([0, 1], [0.4, 0.4])}, over, starts=starts)


def test_data_of_a_channel_that_is_not_there():
    with pytest.raises(cardan.ModelError, match=r"car\.yy.*car\.y"):
        cardan.fit(cardan.loads(QUARTER_CAR), {"car.yy": ([0, 1], [0, 0])}, {"damping": "500:5000 N*s/m"})


def optimise(program, *words):
    environment = {**os.environ, "CARDAN_PYTHON": sys.executable}
    return subprocess.run([program, "optimise", *map(str, words)], capture_output=True, text=True, env=environment)


def test_the_command(program, tmp_path):
    file = tmp_path / "car.toml"
    file.write_text(QUARTER_CAR)
    aim = ["--minimise", '(final("car.y") - 0.36 m)^2 * 1e4', "--over", "stiffness=15:40 kN/m"]
    said = optimise(program, file, *aim, "--json")
    assert said.returncode == 0, said.stderr
    here = cardan.minimise(cardan.load(file), aim[1], {"stiffness": "15:40 kN/m"})
    assert json.loads(said.stdout)["parameters"] == here.parameters  # to the bit
    in_space = optimise(program, file, *aim, "--json", "--spatial")
    assert in_space.returncode == 0, in_space.stderr
    found = json.loads(in_space.stdout)["parameters"]["stiffness"]
    assert found == pytest.approx(here.parameters["stiffness"], rel=1e-5) and found != here.parameters["stiffness"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["none.toml", "--minimise", 'max("car.y")', "--over", "damping=1:2"], 7, "none.toml"),
        (["car.toml", "--fit", "none.csv", "--over", "damping=500:5000 N*s/m"], 7, "none.csv"),
        (["car.toml", "--fit", "car.toml", "--over", "damping=500:5000 N*s/m"], 2, "first column"),
        (["car.toml", "--minimise", 'max("car.yy")', "--over", "damping=500:5000 N*s/m"], 2, "car.y"),
        (["car.toml", "--minimise", 'max("car.y")', "--over", "dampng=500:5000 N*s/m"], 2, "damping"),
        (["car.toml", "--minimise", 'max("car.y")', "--over", "damping=9:5 N*s/m"], 2, "lower bound"),
    ],
)
def test_what_the_command_refuses(program, tmp_path, words, code, said):
    (tmp_path / "car.toml").write_text(QUARTER_CAR)
    words = [str(tmp_path / w) if w.endswith((".toml", ".csv")) else w for w in words]
    found = optimise(program, *words)
    assert found.returncode == code and said in found.stderr and "Traceback" not in found.stderr


def test_bounds_that_are_no_dict(models):
    with pytest.raises(cardan.ModelError, match="over that is no dict"):
        cardan.minimise(cardan.load(models / "slider-crank"), 'max("piston.x")', over=["crank"])
