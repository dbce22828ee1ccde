"""Runs: the command line's to the bit, in memory and stored; threads, interrupts, tables, reports."""

import concurrent.futures
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import cardan
import numpy as np
import pytest

# One of each analysis, in the plane and in space, with events and with error estimates.
CASES = [
    ("slider-crank", "", {}),
    ("slider-crank", "dynamic", {"until": 0.2, "rtol": 1e-9, "formulation": "hybrid"}),
    ("slider-crank", "dynamic", {"until": 0.2, "error_estimate": True}),
    ("press", "kinematic", {}),
    ("press", "inverse", {}),
    ("slider-crank", "equilibrium", {}),
    ("quarter-car", "linearise", {}),
    ("four-bar", "assemble", {}),
    ("pendulum-stops", "", {}),
    ("spherical-pendulum", "", {}),
]


@pytest.mark.parametrize(("name", "command", "options"), CASES)
def test_same_bits_as_the_command_line(models, program, tmp_path, name, command, options):
    words = [program, command or "run", str(models / name), "-o", str(tmp_path / "cli"), "--no-report"]
    for key, value in options.items():
        flag = "--" + key.replace("_", "-")
        words += [flag] if value is True else [flag, str(value)]
    subprocess.run(words, check=True, capture_output=True)
    m = cardan.load(models / name)
    analysis = {"assemble": "assembly"}.get(command, command)
    here = m.run(analysis, **options)
    stored = cardan.open(tmp_path / "cli")
    assert len(here.analyses) == len(stored.analyses)
    for mine, theirs in zip(here.analyses, stored.analyses, strict=True):
        assert list(mine.channels.values()) == list(theirs.channels.values())
        assert mine.t.tobytes() == theirs.t.tobytes()
        for channel in mine.channels:
            assert np.ascontiguousarray(mine[channel]).tobytes() == theirs[channel].tobytes(), channel
            a, b = mine.error_estimate(channel), theirs.error_estimate(channel)
            assert (a is None) == (b is None)
            if a is not None:
                assert np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()
        assert mine.events == theirs.events
    for key in ("status", "final", "energy", "constraint"):
        assert here.summary.get(key) == stored.summary.get(key)


@pytest.fixture(scope="module")
def run(models):
    return cardan.load(models / "slider-crank").run(until=0.2)


def test_a_channel_is_a_view_with_unit_and_time(run):
    angle = run["crank.angle"]
    assert angle.unit == "rad"
    assert angle.t is run.t
    assert not angle.flags.owndata  # what the run holds, seen without a copy
    assert np.shares_memory(angle, run._data.rows(0))
    assert (angle[10:20].t == run.t[10:20]).all()
    assert angle[::2].unit == "rad"
    with pytest.raises(ValueError):
        angle[0] = 1  # results are not changed
    assert (2 * angle)[3] == 2 * angle[3]


def test_units_of_results_are_never_wrong(run):
    x, v = run["piston.x"], run["piston.vx"]
    for kept in (x + x, x - 0.1, 2 * x, x / 2, -x, abs(x), np.maximum(x, 0.3)):
        assert kept.unit == "m" and (kept.t == run.t).all()
    for other in (x * x, x * v, v / (1 + x), x**2, np.sqrt(x), np.sin(run["crank.angle"]), x + v, 1 / (1 + x * x), x * np.arange(len(x)), x > 0.2):
        assert not hasattr(other, "unit")
    assert isinstance(np.max(x), float) and x.sum() == np.asarray(x).sum()
    assert np.gradient(x, x.t).shape == x.shape
    total = np.zeros(len(x))
    total += x
    assert (total == x).all()


def test_channels_are_searched(run):
    assert run.channels.search("main bearing.first.f?") == ["main bearing.first.fx", "main bearing.first.fy"]
    assert "crank.angle" in run.channels.search("ANGLE")
    with pytest.raises(KeyError, match="crank.angle"):
        run["crank.angel"]


def test_tables(run):
    frame = run.to_pandas("crank.*")
    assert (frame["crank.angle"].to_numpy() == run["crank.angle"]).all()
    assert frame.attrs["units"]["crank.vx"] == "m/s"
    data = run.to_xarray()
    assert data["crank.angle"].attrs["units"] == "rad"
    assert (data["t"].to_numpy() == run.t).all()
    with pytest.raises(KeyError):
        run.to_pandas("nothing.*")


def test_plot(run):
    import matplotlib

    matplotlib.use("Agg")
    axes = run.plot("crank.angle", "piston.x")
    assert [a.get_ylabel() for a in axes] == ["rad", "m"]
    assert run.plot("piston.x", x="crank.angle").get_xlabel() == "crank.angle / rad"


def test_report_and_notebook(run, tmp_path):
    page = run.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == page
    assert "<html" in page
    shown = run._repr_html_()
    assert "<iframe" in shown and "complete" in shown


def test_saved_and_opened(run, tmp_path):
    saved = run.save(tmp_path / "run", report=False)
    assert saved.folder == str(tmp_path / "run")
    assert (saved["crank.angle"] == run["crank.angle"]).all()
    assert saved.summary["final"] == run.summary["final"]
    with pytest.raises(cardan.Error, match="exists"):
        run.save(tmp_path / "run")
    with pytest.raises(cardan.Error):
        cardan.open(tmp_path)


def test_runs_pickle(run):
    again = pickle.loads(pickle.dumps(run))
    assert (again["crank.angle"] == run["crank.angle"]).all()
    assert again.summary == run.summary
    angle = pickle.loads(pickle.dumps(run["crank.angle"]))
    assert angle.unit == "rad" and (angle.t == run.t).all()


def test_an_earlier_analysis_pickles(models, tmp_path):
    run = cardan.load(models / "quarter-car").run(output=tmp_path / "run", report=False)
    for part in run.analyses:
        assert pickle.loads(pickle.dumps(part)).channels.keys() == part.channels.keys()
        assert len(pickle.loads(pickle.dumps(part)).t) == len(part.t)


def test_stored_run_is_resumed_bit_for_bit(models, tmp_path):
    m = cardan.load(models / "slider-crank")
    whole = m.run(until=1)

    def stop(t, start, until):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        m.run(until=1, output=tmp_path / "run", rtol=1e-12, max_step=1e-6, progress=stop)
    assert cardan.open(tmp_path / "run").status == "interrupted"
    stored = m.run(until=1, output=tmp_path / "run", force=True, report=False)
    assert (stored["crank.angle"] == whole["crank.angle"]).all()
    assert (cardan.resume(tmp_path / "run")["piston.x"] == whole["piston.x"]).all()


def test_a_run_is_read_while_it_is_written(models, tmp_path):
    m = cardan.load(models / "slider-crank")
    seen = []

    def look(t, start, until):
        if not seen:
            seen.append(cardan.open(tmp_path / "run"))

    m.run(until=1, rtol=1e-13, max_step=2e-5, output=tmp_path / "run", report=False, progress=look)
    assert seen and seen[0].status == "running"
    assert seen[0].refresh().status in ("complete", "doubtful")


def test_a_failed_run_keeps_what_it_has(models):
    with pytest.raises(cardan.Error) as caught:
        cardan.load(models / "infeasible").run()
    assert caught.value.diagnostics[0].id.startswith("assembly.")


DRIVEN = """
gravity = [0, -9.81]
[[body]]
name = "bar"
from = [0, 0]
to = [1, 0]
mass = 1
[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "bar"]
at = [0, 0]
[[driver]]
name = "motor"
joint = "pin"
motion = "law(t/1 s)*1 rad"
[[analysis]]
type = "kinematic"
until = 1
"""


@pytest.mark.parametrize("stored", [False, True])
def test_a_run_that_got_nowhere_is_empty(tmp_path, stored):
    """As one that has just begun to be written."""
    with pytest.raises(cardan.RunError, match="driver 'motor'.*no finite value") as caught:
        cardan.loads(DRIVEN, functions={"law": lambda t: np.nan}).run(**({"output": tmp_path / "run"} if stored else {}))
    run = caught.value.run
    assert len(run.t) == 0 and len(run.channels) == 0 and run.analyses == []
    assert run.to_pandas().empty and len(run.to_xarray()) == 0 and "failed" in run._repr_html_()
    with pytest.raises(ValueError, match="nothing to draw"):
        run.plot()
    assert len(pickle.loads(pickle.dumps(run)).t) == 0


def test_faults_of_files_name_them(tmp_path):
    for ask in (cardan.open, cardan.open_sweep, cardan.resume):
        with pytest.raises(cardan.Error, match="there-is-none"):
            ask(tmp_path / "there-is-none")


def test_progress_is_told(models):
    told = []
    cardan.load(models / "slider-crank").run(
        until=1, rtol=1e-13, max_step=2e-5, progress=lambda *where: told.append(where)
    )
    assert told and all(a <= t <= b for t, a, b in told)


def test_runs_in_threads_are_the_same(models):
    lengths = [0.06, 0.07, 0.08, 0.09]
    m = cardan.load(models / "slider-crank")
    alone = [m.copy().set(crank=x).run(until=0.2) for x in lengths]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda x: m.copy().set(crank=x).run(until=0.2), lengths))
    for a, b in zip(alone, together, strict=True):
        assert (a["piston.x"] == b["piston.x"]).all()


def test_the_interpreter_goes_on_meanwhile(models):
    m = cardan.load(models / "slider-crank")
    worker = threading.Thread(target=lambda: m.run(until=1, rtol=1e-13, max_step=2e-5))
    worker.start()
    count = 0
    while worker.is_alive():
        count += 1
        worker.join(0.001)
    assert count > 5


def test_ctrl_c(models):
    code = textwrap.dedent(f"""
        import cardan, signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
        m = cardan.load({str(models / "slider-crank")!r})
        print("begins", flush=True)
        try:
            m.run(until=1000, rtol=1e-12, max_step=1e-6)
        except KeyboardInterrupt:
            sys.exit(7)
    """)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begins\n"
        threading.Event().wait(0.5)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 7
    finally:
        process.kill()


def test_doubtful_runs_warn(models):
    with pytest.warns(cardan.DoubtfulWarning):
        cardan.load(models / "slider-crank").run(until=1, formulation="projected", integrator="heun", step=0.01)


def test_summary_is_json(run):
    assert json.loads(json.dumps(run.summary)) == run.summary
