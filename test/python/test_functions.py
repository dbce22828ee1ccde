"""Forces and drivers as Python functions."""

import subprocess
import sys

import cardan
import numpy as np
import pytest

MASS = """
[[body]]
name = "mass"
at = ["0.1 m", 0]
mass = 2
inertia = 1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "mass"]
axis = [1, 0]
[[request]]
joint = "guide"
name = "x"
"""
FORCE = """
[[force]]
type = "force"
name = "law"
body = "mass"
value = ["{} * 1 N", 0]
[[analysis]]
type = "dynamic"
until = 1
rtol = 1e-9
"""


def test_a_force(program, tmp_path):
    by_formula = cardan.loads(MASS + FORCE.format("(-50*(x/1 m + 0.1) - 400*(x/1 m + 0.1)^3)")).run(rows="grid")
    m = cardan.loads(MASS + FORCE.format("spring(x/1 m + 0.1)"), functions={"spring": lambda x: -50 * x - 400 * x**3})
    run = m.run(rows="grid")
    assert np.ptp(run["mass.x"]) > 0.15  # it swings
    assert np.max(np.abs(run["mass.x"] - by_formula["mass.x"])) < 1e-9
    assert any(d.id == "io.no-function" for d in run.diagnostics)  # it says what it cannot do
    stored = m.run(output=tmp_path / "run")
    assert stored.status == "complete"
    assert stored.manifest["arguments"]["functions"] == ["spring"]
    for command in ("resume", "verify"):
        said = subprocess.run([program, command, str(tmp_path / "run")], capture_output=True, text=True)
        assert command == "resume" or (said.returncode != 0 and "spring" in said.stderr)
    with pytest.raises(cardan.ModelError, match="spring"):  # without the function
        cardan.loads(MASS + FORCE.format("spring(x/1 m + 0.1)"))


def test_a_driver():
    text = MASS + '[[driver]]\njoint = "guide"\nname = "motor"\nmotion = "way(t/1 s) * 1 m"\n[[analysis]]\ntype = "inverse"\nuntil = 1\n'
    m = cardan.loads(text, functions={"way": lambda t: (0.1 + 0.2 * np.sin(3 * t), 0.6 * np.cos(3 * t), -1.8 * np.sin(3 * t))})
    run = m.run()
    assert np.max(np.abs(run["mass.x"] - (0.2 + 0.2 * np.sin(3 * run.t)))) < 1e-10
    assert np.max(np.abs(run["mass.ax"] + 1.8 * np.sin(3 * run.t))) < 1e-8


def test_what_it_raises_comes_back():
    calls = []

    def fails(x):
        calls.append(x)
        if len(calls) > 20:
            raise ZeroDivisionError("my own fault")
        return -x

    m = cardan.loads(MASS + FORCE.format("law_of_mine(x/1 m)"), functions={"law_of_mine": fails})
    with pytest.raises(ZeroDivisionError, match="my own fault"):
        m.run()
    m.function("law_of_mine", lambda x: "much")
    with pytest.raises((TypeError, ValueError)):
        m.run()
    with pytest.raises(TypeError):
        m.function("law_of_mine", 3)


SWEPT = MASS.replace("[[body]]", '[parameters]\nscale = 1\n[[body]]', 1) + """
[[force]]
type = "force"
name = "law"
body = "mass"
value = ["law(scale*(x/1 m + 0.1)) * 1 N", 0]
[[analysis]]
type = "dynamic"
until = 0.2
"""


def spring_up_to_two(x):
    if abs(x) > 0.2:
        raise ArithmeticError("torn")
    return -50 * x


@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_that_raises_fails_its_points_only(workers):
    m = cardan.loads(SWEPT, functions={"law": spring_up_to_two})
    measure = {"x": 'final("mass.x")'}
    with pytest.warns(UserWarning, match="'law' raised ArithmeticError: torn"):
        s = cardan.sweep(m, {"scale": [1, 3, 0.5, 4, 1.5]}, measure, workers=workers)
    assert s.status == ["complete", "failed", "complete", "failed", "complete"]
    good = cardan.sweep(m, {"scale": [1, 0.5, 1.5]}, measure, workers=1)
    assert good["x"].tolist() == s["x"][[0, 2, 4]].tolist()
    with pytest.raises(cardan.Error, match="law"):  # a store has the function's name only
        s.rerun(2)
    assert s.rerun(2, functions={"law": spring_up_to_two})["mass.x"][-1] == pytest.approx(s["x"][2], rel=1e-6)


def test_an_interrupt_in_a_function_ends_a_sweep():
    def stops(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cardan.sweep(cardan.loads(SWEPT, functions={"law": stops}), {"scale": "1:1:100"}, {"x": 'final("mass.x")'})


def test_equations_with_a_function():
    """What it raises comes back and is forgotten; threads that ask at once do not wait for each other for ever."""
    s = cardan.loads(SWEPT, functions={"law": spring_up_to_two}).system()
    far = s.q + np.array([1.0, 0, 0])
    assert s.accelerations(0, s.q, s.v)[0] == pytest.approx(-50 * 0.1 / 2)
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="torn"):
            s.accelerations(0, far, s.v)
        with pytest.raises(ArithmeticError, match="torn"):
            s.Q(0, far, s.v)
    assert s.Q(0, s.q, s.v)[0] == pytest.approx(-5)
    code = f"""
import threading, cardan
s = cardan.loads({SWEPT!r}, functions={{"law": lambda x: -50 * x}}).system()
def work(ask):
    for _ in range(2000):
        ask(0, s.q, s.v)
threads = [threading.Thread(target=work, args=(ask,)) for ask in (s.accelerations, s.Q, s.gamma)]
[t.start() for t in threads]
[t.join() for t in threads]
print("done")
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout == "done\n"
