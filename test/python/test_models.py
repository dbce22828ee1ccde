"""Models read and built, their faults, and what the file can have."""

import json
import pickle
import subprocess

import cardan
import numpy as np
import pytest
from cardan import _core
from cardan.model import _sections

PENDULUM = """
title = "Pendulum"
gravity = [0, "-9.81 m/s^2"]
[parameters]
length = "1 m"
[[body]]
name = "bar"
from = [0, 0]
to = ["length", 0]
mass = "1 kg"
[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "bar"]
at = [0, 0]
[[analysis]]
type = "dynamic"
until = "1 s"
"""


def pendulum():
    m = cardan.Model("Pendulum", gravity=[0, "-9.81 m/s^2"])
    m.parameters(length="1 m")
    m.body("bar", from_=[0, 0], to=["length", 0], mass="1 kg")
    m.joint.revolute("pin", between=["ground", "bar"], at=[0, 0])
    m.analysis.dynamic(until="1 s")
    return m


def test_a_built_model_runs_like_the_file():
    built, read = pendulum().run(), cardan.loads(PENDULUM).run()
    assert list(built.channels) == list(read.channels)
    assert (built["bar.angle"] == read["bar.angle"]).all()


def test_text_of_a_built_model_is_the_model():
    again = cardan.loads(pendulum().to_toml())
    assert (again.run()["bar.x"] == pendulum().run()["bar.x"]).all()


def test_elements_may_be_added_to_a_model_that_was_read():
    m = cardan.loads(PENDULUM)
    m.force.torque("motor", body="bar", value="2 N*m")
    assert m.run().channels.search("motor.*")


def test_every_type_and_key_of_the_file_can_be_built():
    schema = json.loads(_core.schema())
    found = _sections()
    assert set(found.types) | set(found.keys) | found.single | set(found.model_keys) == set(schema["properties"])
    # As the element table says: each type has a function with its keys.
    m = cardan.Model("all")
    for kind in ("joint", "driver", "force", "request", "stop", "contact"):
        types = [name for name in found.types[kind] if name]
        assert types
        for name in types:
            function = getattr(getattr(m, kind), name.replace("-", "_"))
            assert all(key in function.__doc__ for key in found.types[kind][name][1])


@pytest.mark.parametrize("name", ["four-bar", "press", "vehicle", "andrews", "pendulum-stops", "cam-follower"])
def test_models_of_the_repository(models, name):
    assert cardan.load(models / name).check()


def test_all_faults_of_a_model_are_told():
    with pytest.raises(cardan.ModelError) as caught:
        cardan.loads(PENDULUM.replace('mass = "1 kg"', 'mass = "1 m"\nsize = 3')).check()
    assert {d.id for d in caught.value.diagnostics} == {"model.wrong-unit", "model.unknown-key"}
    assert all(d.line > 0 for d in caught.value.diagnostics)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: m.set(lenght=1), "length"),
        (lambda m: m.set(length="1 kg"), "kg (mass)"),
        (lambda m: m.run(rtl=1e-9), "--rtl"),
        (lambda m: m.run(rtol=-1), "above zero"),
        (lambda m: m.run("dynamics"), "analysis"),
        (lambda m: m.run(formulation="hybird"), "hybrid"),
        (lambda m: m.joint.revolute("pin 2", betwen=["ground", "bar"]), "between"),
        (lambda m: m.joint("revolut"), "revolute"),
        (lambda m: cardan.Model("x", gravty=1), "gravity"),
        (lambda m: m.parameter("width"), "length"),
    ],
)
def test_bad_input_is_named(call, words):
    m = cardan.loads(PENDULUM)
    with pytest.raises(cardan.ModelError, match=".*" + words.replace("(", r"\(").replace(")", r"\)")):
        call(m)
    assert m.run().status == "complete"  # nothing of it stays


def test_attributes_that_do_not_exist():
    m = cardan.loads(PENDULUM)
    with pytest.raises(AttributeError, match="joint"):
        m.jont  # noqa: B018
    with pytest.raises(AttributeError, match="revolute"):
        m.joint.revolut  # noqa: B018
    with pytest.raises(ValueError, match="no number"):
        m.body("b", mass=float("nan"))
    with pytest.raises(TypeError):
        m.body("b", mass=object())


def test_help_tells_what_a_key_is():
    words = cardan.loads(PENDULUM).joint.revolute.__doc__
    assert "friction: coefficient of friction" in words and "A number in SI units" not in words


def test_parameters_ranked_by_their_effect(program, models):
    """As the command line ranks them; against differences of runs."""
    m = cardan.load(models / "four-bar")
    found = m.sensitivity("rocker angle", ["crank", "rocker", "speed"], until=0.5, rtol=1e-9)
    assert [e.effect for e in found] == sorted((e.effect for e in found), reverse=True) and len(found) == 3
    here = next(e for e in found if e.parameter == "crank")
    values = [m.copy().set(crank=0.06 + h).run(until=0.5, rtol=1e-10, rows="grid") for h in (1e-6, -1e-6)]
    slope = (np.asarray(values[0]["rocker angle"]) - np.asarray(values[1]["rocker angle"])) / 2e-6
    k = int(np.argmin(np.abs(values[0].t - here.at)))
    assert slope[k] == pytest.approx(here.derivative, rel=1e-5)
    assert here.effect == pytest.approx(np.abs(0.06 * slope).max() / np.ptp(values[0]["rocker angle"]), rel=1e-4)
    said = subprocess.run([program, "sensitivity", str(models / "four-bar"), "--of", "rocker angle", "--json"], capture_output=True, text=True, check=True)
    ranking = json.loads(said.stdout.splitlines()[-1])["ranking"]
    assert [(e.parameter, e.effect, e.derivative) for e in m.sensitivity("rocker angle")] == [(e["parameter"], e["effect"], e["largest"]) for e in ranking]
    with pytest.raises(cardan.ModelError, match="crank"):
        m.sensitivity(by="crnk")
    with pytest.raises(cardan.ModelError, match="without parameters"):
        cardan.loads(PENDULUM.replace("[parameters]\nlength = \"1 m\"\n", "").replace('"length"', "1")).sensitivity()


def test_methods_compared():
    m = cardan.loads(PENDULUM)
    told = []
    found = m.compare(1e-5, formulations="projected", integrators=["ode45", "rk4"], tolerances=[1e-4, 1e-6], steps=[0.01], progress=lambda *x: told.append(x))
    assert found.recommended and found.recommended["error"]["relative"] <= 1e-5
    assert {t["integrator"] for t in found.trials} == {"ode45", "rk4"}
    assert found.advice in str(found) and "<pre>" in found._repr_html_()
    frame = found.to_pandas()
    assert len(frame) == len(found.trials) and frame["error"].min() < 1e-5
    reference = m.run(rtol=1e-12, rows="grid")["bar.angle"]
    assert np.abs(np.asarray(m.run(rows="grid", **found.options())["bar.angle"]) - reference).max() < 2e-5 * np.abs(reference).max()
    with pytest.raises(cardan.ModelError, match="did you mean 'projected'"):
        m.compare(formulations=["projectd"])
    with pytest.raises(cardan.ModelError, match="accuracy"):
        m.compare(2)

    def stop(*where):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        m.compare(progress=stop)


def test_set_stays_and_copies_are_apart():
    m = cardan.loads(PENDULUM)
    other = m.copy().set(length="400 mm")
    assert other.parameter("length").value == 0.4
    assert m.parameter("length").value == 1


def test_models_pickle():
    m = pickle.loads(pickle.dumps(cardan.loads(PENDULUM, length=0.5)))
    assert m.parameter("length").value == 0.5
    error = pickle.loads(pickle.dumps(cardan.ModelError([cardan.Diagnostic("a.b", "error", "x")])))
    assert error.diagnostics[0].id == "a.b"


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        cardan.load(tmp_path / "none.toml")


def test_words_of_other_programs_are_translated() -> None:
    m = cardan.Model("x")
    with pytest.raises(AttributeError, match="did you mean 'revolute'"):
        m.joint.hinge("p", between=["ground", "bar"], at=[0, 0])
    with pytest.raises(AttributeError, match="did you mean 'translational'"):
        m.joint.prismatic("p", between=["ground", "bar"], axis=[1, 0])
    with pytest.raises(AttributeError, match="there are .*revolute"):
        m.joint.thing("p")
