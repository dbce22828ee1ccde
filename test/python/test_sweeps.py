"""Sweeps: the same rows whoever runs them, interrupted ones gone on with, bad input named."""

import concurrent.futures
import functools
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import cardan
import numpy as np
import pytest

VARY = {"crank": "60:10:90 mm", "speed": ["200 rpm", "300 rpm"]}
MEASURE = {"peak": 'max(abs("wrist pin.force"))', "stroke": 'max("piston.x") - min("piston.x")'}


@pytest.fixture(scope="module")
def model(models):
    return cardan.load(models / "slider-crank")


@pytest.fixture(scope="module")
def swept(model):
    return cardan.sweep(model, VARY, MEASURE, until=0.1)


def rows(folder):
    """All rows of a store, numbers to the bit."""
    return sqlite3.connect(os.path.join(folder, "sweep.db")).execute("select * from point order by number").fetchall()


def test_points_and_units(swept):
    assert len(swept) == 8
    assert swept["crank"].tolist() == [0.06, 0.06, 0.07, 0.07, 0.08, 0.08, 0.09, 0.09]
    assert swept.units == {"crank": "m", "speed": "s^-1", "peak": "N", "stroke": "m"}
    assert set(swept.status) == {"complete"}


def test_measures_are_those_of_runs(model, swept):
    run = model.copy().set(crank=0.07, speed="300 rpm").run(until=0.1)
    force = np.hypot(run["wrist pin.first.fx"], run["wrist pin.first.fy"])
    assert force.max() <= swept["peak"][3] <= 1.001 * force.max()
    assert abs(swept["stroke"][3] - np.ptp(run["piston.x"])) < 1e-5


def test_same_rows_as_the_command_line(models, program, swept, tmp_path):
    words = [program, "sweep", str(models / "slider-crank"), "-o", str(tmp_path / "cli"), "--until", "0.1"]
    words += ["--vary", "crank=60:10:90 mm", "--vary", "speed=200 rpm,300 rpm", "--workers", "2"]
    for name, formula in MEASURE.items():
        words += ["--measure", f"{name} = {formula}"]
    subprocess.run(words, check=True, capture_output=True)
    assert rows(tmp_path / "cli") == rows(swept.folder)
    assert (tmp_path / "cli/table.csv").read_text() == swept.to_csv()


def test_a_point_alone(swept):
    run = swept.rerun(3)
    assert np.ptp(run["piston.x"]) == pytest.approx(swept["stroke"][3], abs=1e-5)


def test_other_processes_give_the_same_rows(model, swept, tmp_path):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        other = cardan.sweep(model, VARY, MEASURE, until=0.1, executor=pool, chunk=3, output=tmp_path / "there")
    assert rows(other.folder) == rows(swept.folder)


def test_an_interrupted_sweep_goes_on(model, tmp_path):
    def stop(done, count, failed):
        raise KeyboardInterrupt

    asked = {"sample": 400, "seed": 3, "until": 0.1, "workers": 1}
    vary = {"crank": "normal(80 mm, 0.05 mm)", "rod": "uniform(199 mm, 201 mm)"}
    whole = cardan.sweep(model, vary, MEASURE, output=tmp_path / "whole", **asked)
    with pytest.raises(KeyboardInterrupt):
        cardan.sweep(model, vary, MEASURE, output=tmp_path / "part", progress=stop, **asked)
    assert len(cardan.open_sweep(tmp_path / "part")) < 400
    again = cardan.resume_sweep(tmp_path / "part")
    assert rows(again.folder) == rows(whole.folder)
    assert abs(whole["crank"].mean() - 0.08) < 1e-6  # a Latin hypercube is closer than chance
    assert whole["crank"].std() == pytest.approx(5e-5, rel=0.02)


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_a_sweep_and_keeps_its_points(models, tmp_path, workers):
    code = f"""
import cardan, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
m = cardan.load({str(models / "slider-crank")!r})
print("begins", flush=True)
try:
    cardan.sweep(m, {{"crank": "uniform(70 mm, 90 mm)"}}, {{"x": 'max("piston.x")'}}, sample=200000, until=0.1,
                 workers={workers}, output={str(tmp_path / "sweep")!r})
except KeyboardInterrupt:
    sys.exit(7)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begins\n"
        while not (tmp_path / "sweep/sweep.db-wal").exists():
            time.sleep(0.05)
        time.sleep(0.7)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 7
    finally:
        process.kill()
    kept = cardan.open_sweep(tmp_path / "sweep")
    assert 0 < len(kept) < 200000 and set(kept.status) == {"complete"}


def test_failed_points_are_listed_by_cause(models):
    m = cardan.load(models / "four-bar")
    name = m.list_parameters()[0].name
    value = m.parameter(name).value
    found = cardan.sweep(m, {name: [value, 50 * value]}, {"t": 'max(t + 0*"residual.position"/(1 m)*(1 s))'})
    assert found.status[0] in ("complete", "doubtful")
    assert found.status[1] == "failed"
    assert sum(found.failed.values(), []) == [1]
    assert np.isnan(found["t"][1])
    assert found.diagnostics(1)


def test_tables_and_figures(swept):
    import matplotlib

    matplotlib.use("Agg")
    assert swept.to_pandas().loc[3, "peak"] == swept["peak"][3]
    data = swept.to_xarray()
    assert data["peak"].shape == (4, 2)
    assert float(data["peak"].sel(crank=0.07, speed=swept["speed"][1])) == swept["peak"][3]
    assert swept.main_effects("peak")["crank"][1].shape == (4,)
    assert swept.correlation().shape == (2, 2)
    assert swept.statistics("peak")["points"] == 8
    swept.plot("peak")
    swept.plot("peak", "crank")
    swept.plot("peak", "crank", "speed")


def test_measures_without_a_value(model, program, tmp_path):
    """They are told by the command line, and nothing is drawn of them."""
    measure = {"never": 'crossing("piston.x", 9 m)', "some": 'crossing("piston.x", 0.285 m)'}
    found = cardan.sweep(model, {"crank": "70:10:90 mm"}, measure, until=0.2, output=tmp_path / "sweep")
    assert np.isnan(found["never"]).all() and np.isfinite(found["some"]).tolist() == [False, False, True]
    for across in ((), ("crank",)):
        with pytest.raises(ValueError, match="no points with a value of 'never'"):
            found.plot("never", *across)
    said = subprocess.run([program, "sweep", "show", str(tmp_path / "sweep")], check=True, capture_output=True, text=True).stdout
    assert "never [s]: without a value at 3 of 3 points" in said and "some [s]: without a value at 2 of 3 points" in said
    assert (tmp_path / "sweep/table.csv").read_text() == found.to_csv()


@pytest.mark.parametrize(
    ("vary", "measure", "words"),
    [
        ({"crnk": "1:1:2"}, MEASURE, "crank"),
        ({"crank": "1:1:2 kg"}, MEASURE, "length"),
        ({"crank": "2:1:1"}, MEASURE, "empty"),
        ({"crank": "0:1e-9:1"}, MEASURE, "1000000001 points"),
        ({"crank": "normal(1 m, 1 mm)"}, MEASURE, "sample"),
        ({"crank": "80 mm"}, {"x": 'max("pistn.x")'}, "piston.x"),
        ({"crank": "80 mm"}, {"x": "1 + 1"}, "course"),
        ({}, MEASURE, "nothing varies"),
        (["crank=60:10:90 mm"], MEASURE, "no dict"),
        ({"crank": "80 mm"}, {"x": max}, "'x' that is no text"),
        ({"crank": [0.08, float("nan")]}, MEASURE, "finite"),
    ],
)
def test_bad_input_is_named(model, vary, measure, words, tmp_path):
    with pytest.raises(cardan.ModelError, match=words):
        cardan.sweep(model, vary, measure, output=tmp_path / "sweep")
    assert not (tmp_path / "sweep").exists()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"workers": 0}, "0 workers"),
        ({"sample": 3, "seed": -1}, "seed -1"),
        ({"sample": 3, "seed": 2**64}, "2\\^64"),
        ({"sample": -3}, "-3 points"),
        ({"sample": 10**19}, "10000000000000000000 points"),
        ({"sample": 3, "zip": True}, "one of them"),
        ({"sobol": True}, "sample"),
        ({"seed": 3}, "seed 3 without sample"),
        ({"chunk": 3}, "chunk=3"),
        ({"chunk": -1, "executor": concurrent.futures.Executor()}, "chunk=-1"),
        ({"workers": 2, "executor": concurrent.futures.Executor()}, "workers=2 beside"),
        ({"client": object(), "executor": concurrent.futures.Executor()}, "one of them"),
        ({"block": "strokes"}, "either"),
        ({"sensitivity": ["crank"]}, "no derivatives"),
    ],
)
def test_bad_numbers_are_named(model, how, words):
    with pytest.raises(cardan.ModelError, match=words):
        cardan.sweep(model, {"crank": "60:10:90 mm"}, MEASURE, until=0.01, **how)


def test_a_worker_of_another_version_is_refused(swept):
    about = json.dumps({**swept.about, "version": "0.0.1"})
    with pytest.raises(cardan.Error, match="0.0.1"):
        sys.modules["cardan.sweep_workers"].run_chunk(about, [0])


@pytest.fixture
def dask(tmp_path):
    """A scheduler and two workers, each a process of its own, as on a cluster."""
    distributed = pytest.importorskip("dask.distributed")
    file = str(tmp_path / "scheduler.json")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--scheduler-file", file, "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", file, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1", "PYTHONPATH": path}
    processes = [subprocess.Popen(scheduler, env=environment, **quiet)]
    processes += [subprocess.Popen(worker, env=environment, **quiet) for _ in range(2)]
    try:
        while not os.path.exists(file):
            time.sleep(0.05)
            assert processes[0].poll() is None
        with distributed.Client(scheduler_file=file, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            yield client, processes, lambda: processes.append(subprocess.Popen(worker, env=environment, **quiet))
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_killed_worker_of_dask_loses_nothing(model, tmp_path, dask):
    client, processes, more = dask
    vary = {"crank": "normal(80 mm, 0.05 mm)", "rod": "uniform(199 mm, 201 mm)"}
    asked = {"sample": 600, "seed": 3, "until": 0.1, "samples": ["piston.x"]}
    here = cardan.sweep(model, vary, MEASURE, output=tmp_path / "here", **asked)
    killed = []

    def kill_one(done, count, failed):
        if not killed:
            processes[1].kill()
            killed.append(done)

    there = cardan.sweep(
        model, vary, MEASURE, output=tmp_path / "there", client=client, chunk=20, progress=kill_one, **asked
    )
    assert killed and killed[0] < 600
    assert rows(there.folder) == rows(here.folder)
    for point in (0, 300, 599):
        assert (here.samples(point)["piston.x"] == there.samples(point)["piston.x"]).all()


def kill_at_seven(about, numbers):
    import importlib

    if 7 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return importlib.import_module("cardan.sweep_workers").run_chunk(about, numbers)


def test_a_point_that_kills_its_workers_ends_no_sweep(model, tmp_path, dask, monkeypatch):
    client, processes, more = dask
    module = sys.modules["cardan.sweep_workers"]
    original = module._by_dask

    def with_a_killer(client, work, chunks, lost):
        return original(client, functools.partial(kill_at_seven, *work.args), chunks, lost)

    monkeypatch.setattr(module, "_by_dask", with_a_killer)
    stop = threading.Event()

    def replace_the_dead():  # as a nanny or a batch system does
        while not stop.wait(0.2):
            while sum(p.poll() is None for p in processes[1:]) < 2:
                more()

    keeper = threading.Thread(target=replace_the_dead)
    keeper.start()
    try:
        there = cardan.sweep(model, {"crank": "70:1:81 mm"}, MEASURE, until=0.05, client=client, chunk=4, output=tmp_path / "there")
    finally:
        stop.set()
        keeper.join()
    here = cardan.sweep(model, {"crank": "70:1:81 mm"}, MEASURE, until=0.05)
    assert there.failed == {"io.worker-lost": [7]}, there.diagnostics(0)
    assert np.isnan(there["peak"][7]) and there["crank"][7] == here["crank"][7]
    assert [r for r in rows(there.folder) if r[0] != 7] == [r for r in rows(here.folder) if r[0] != 7]
    assert there.diagnostics(7)[0].id == "io.worker-lost"


def test_workers_of_another_version_are_named(model, dask, monkeypatch):
    client, _, _ = dask
    monkeypatch.setattr(sys.modules["cardan.sweep_workers"], "_version_here", lambda: f"version 0.0.1 of {os.getpid()}")
    with pytest.raises(cardan.Error, match="worker tcp://") as caught:
        cardan.sweep(model, {"crank": "70:10:80 mm"}, MEASURE, until=0.05, client=client)
    assert caught.value.diagnostics[0].id == "io.other-version"


def test_workers_without_the_package_are_named(model, tmp_path):
    """A worker whose Python has Dask, but not Cardan."""
    distributed = pytest.importorskip("dask.distributed")
    (tmp_path / "cardan.py").write_text("raise ModuleNotFoundError('no cardan here')")
    file = str(tmp_path / "scheduler.json")
    how = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": {**os.environ, "PYTHONPATH": str(tmp_path)}}
    begin = [sys.executable, "-m"]
    processes = [subprocess.Popen([*begin, "distributed.cli.dask_scheduler", "--port", "0", "--scheduler-file", file, "--no-dashboard"], **how)]
    processes += [subprocess.Popen([*begin, "distributed.cli.dask_worker", "--scheduler-file", file, "--no-dashboard", "--no-nanny"], **how)]
    try:
        while not os.path.exists(file):
            time.sleep(0.05)
        with distributed.Client(scheduler_file=file, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            with pytest.raises(cardan.Error, match="worker tcp://.* with no package cardan"):
                cardan.sweep(model, {"crank": "70:10:80 mm"}, MEASURE, until=0.05, client=client)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_broken_pool_says_how_to_go_on(model, tmp_path):
    class Broken(concurrent.futures.Executor):
        calls = 0

        def submit(self, f, *arguments):
            future = concurrent.futures.Future()
            Broken.calls += 1
            if Broken.calls > 2:
                future.set_exception(concurrent.futures.process.BrokenProcessPool("a worker died"))
            else:
                future.set_result(f(*arguments))
            return future

    with pytest.raises(cardan.Error, match="resume_sweep"):
        cardan.sweep(model, VARY, MEASURE, until=0.1, executor=Broken(), chunk=2, output=tmp_path / "sweep")
    again = cardan.resume_sweep(tmp_path / "sweep")
    assert set(again.status) == {"complete"} and len(again) == 8


def test_values_that_were_given_before(model):
    """They are used, and no point says otherwise."""
    m = model.copy().set(rod="220 mm", speed="200 rpm")
    s = cardan.sweep(m, {"crank": "70:10:80 mm"}, {"x": 'initial("piston.x")'}, until=0.01)
    assert s["x"] == pytest.approx(s["crank"] + 0.22)
    assert [s.diagnostics(k) for k in (0, 1)] == [[], []]


def test_rows_on_demand(model, tmp_path):
    s = cardan.sweep(model, {"crank": "60:10:90 mm"}, MEASURE, samples=["piston.?", "crank.angle"], until=0.1, output=tmp_path / "s")
    assert list(s.samples(2)) == ["crank.angle", "piston.x", "piston.y"]
    x = s.samples(2)["piston.x"]
    assert x.unit == "m" and x.t[0] == 0 and x.t[-1] == 0.1 and len(x) > 20
    run = s.rerun(2)
    assert np.abs(np.interp(run.t, x.t, x) - run["piston.x"]).max() < 2e-3 * np.ptp(x)
    assert s.samples(2).to_pandas()["piston.x"].iloc[-1] == x[-1]
    with pytest.raises(KeyError):
        cardan.sweep(model, {"crank": "60 mm"}, MEASURE, until=0.01).samples(0)
    with pytest.raises(cardan.ModelError, match="pistn"):
        cardan.sweep(model, {"crank": "60 mm"}, MEASURE, samples=["pistn.x"], until=0.01)


def test_main_effects_of_a_sample_are_of_groups(model):
    s = cardan.sweep(model, {"crank": "uniform(70 mm, 90 mm)"}, {"x": 'initial("piston.x")'}, sample=200, until="1 ms")
    values, means = s.main_effects("x")["crank"]
    assert len(values) == 10
    assert np.allclose(means, values + 0.2, atol=1e-9)
    with pytest.raises(KeyError):
        s.main_effects("y")


def test_what_the_command_line_tells_of_a_store(models, program, swept, tmp_path):
    said = subprocess.run([program, "sweep", "show", swept.folder, "--json"], capture_output=True, text=True, check=True).stdout
    found = [m for m in map(json.loads, said.splitlines()) if m.get("type") == "measure"]
    assert [m["measure"] for m in found] == ["peak", "stroke"]
    assert found[0]["mean"] == pytest.approx(swept["peak"].mean(), rel=1e-14)
    assert dict(found[0]["quantiles"])[0.5] == pytest.approx(np.median(swept["peak"]), rel=1e-14)
    assert np.allclose([m["correlation"] for m in found], swept.correlation(), atol=1e-12)
    page = tmp_path / "page.html"
    subprocess.run([program, "sweep", "page", swept.folder, "-o", str(page), "--points", "1", "3"], check=True, capture_output=True)
    assert (tmp_path / "page-points/1-3.html").stat().st_size > 10000


def test_a_program_that_is_killed_at_its_start_leaves_a_sweep_or_none(models, program, tmp_path):
    begin = [program, "sweep", str(models / "slider-crank"), "--vary", "crank=60:10:90 mm", "--until", "0.1", "-o", str(tmp_path / "s")]
    begin += ["--measure", 'peak = max(abs("wrist pin.force"))']
    subprocess.run([*begin[:-3], str(tmp_path / "whole"), *begin[-2:]], check=True, capture_output=True)
    for k in range(12):
        shutil.rmtree(tmp_path / "s", ignore_errors=True)
        process = subprocess.Popen(begin, stdout=subprocess.DEVNULL)
        while process.poll() is None and not (tmp_path / "s").exists():
            time.sleep(0.001)
        time.sleep(0.002 * k)
        process.kill()
        process.wait()
        there = (tmp_path / "s/sweep.db").exists()
        again = [program, "sweep", "resume", str(tmp_path / "s")] if there else begin
        subprocess.run(again, check=True, capture_output=True)
        assert rows(tmp_path / "s") == rows(tmp_path / "whole")


def test_a_killed_program_loses_nothing(models, program, tmp_path):
    full = "CARDAN_FULL" in os.environ  # long enough for twenty kills
    words = ["--vary", "crank=normal(80 mm, 0.05 mm)", "--seed", "2"]
    words += ["--sample", "10000", "--until", "0.5", "--rtol", "1e-9"] if full else ["--sample", "1500", "--until", "0.1"]
    words += ["--workers", "2", "--measure", 'peak = max(abs("wrist pin.force"))']
    begin = [program, "sweep", str(models / "slider-crank"), *words]
    subprocess.run([*begin, "-o", str(tmp_path / "whole")], check=True, capture_output=True)
    first = subprocess.Popen([*begin, "-o", str(tmp_path / "killed")], stdout=subprocess.DEVNULL)
    while first.poll() is None and not (tmp_path / "killed/sweep.db-wal").exists():
        time.sleep(0.01)
    stopped = 0
    for k in range(20 if full else 4):
        resume = [program, "sweep", "resume", str(tmp_path / "killed")]
        process = first if k == 0 else subprocess.Popen(resume, stdout=subprocess.DEVNULL)
        try:
            process.wait(0.55 if full else 0.3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            stopped += 1
    subprocess.run([program, "sweep", "resume", str(tmp_path / "killed")], check=True, capture_output=True)
    assert stopped == 20 if full else stopped > 0
    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")
    rerun = [program, "sweep", "rerun", str(tmp_path / "killed"), "417", "-o", str(tmp_path / "point")]
    again = subprocess.run(rerun, capture_output=True, text=True)
    assert again.returncode == 0 and "to the bit" in again.stdout


def test_a_sweep_of_the_model_file(model, swept, models, program, tmp_path):
    block = """
[[sweep]]
name = "strokes"
vary = { crank = "60:10:90 mm", speed = ["200 rpm", "300 rpm"] }
measure.peak = 'max(abs("wrist pin.force"))'
measure.stroke = 'max("piston.x") - min("piston.x")'
"""
    text = model.to_toml() + block
    own = cardan.loads(text)
    by_block = cardan.sweep(own, block="strokes", until=0.1)
    assert rows(by_block.folder) == rows(swept.folder)
    file = tmp_path / "model.toml"
    file.write_text(text)
    subprocess.run([program, "sweep", str(file), "--until", "0.1", "-o", str(tmp_path / "s")], check=True, capture_output=True)
    assert rows(tmp_path / "s") == rows(swept.folder)
    built = model.copy()
    built.sweep("strokes", vary=VARY, measure=MEASURE, samples=["piston.x"])
    by_code = cardan.sweep(built, until=0.1)
    assert by_code["stroke"] == pytest.approx(swept["stroke"], rel=1e-4)  # its rows follow x too
    assert np.ptp(by_code.samples(7)["piston.x"]) == pytest.approx(by_code["stroke"][7], rel=1e-3)


@pytest.mark.parametrize(
    "block, words",
    [
        ('vary = { crnk = "60:10:90 mm" }\nmeasure = { a = \'max("piston.x")\' }', "crnk"),
        ('vary = { crank = "60:10:90 kg" }\nmeasure = { a = \'max("piston.x")\' }', "crank"),
        ('vary = { crank = "90:10:60 mm" }\nmeasure = { a = \'max("piston.x")\' }', "crank"),
        ('vary = { crank = "60:10:90 mm" }\nmeasure = { a = \'max("piston.xx")\' }', "piston.x"),
        ('vary = { crank = true }\nmeasure = { a = \'max("piston.x")\' }', "crank"),
        ('vary = { crank = "60 mm" }', "measure"),
        ('vary = { crank = "60 mm" }\nmeasure = { a = 3 }', "a"),
        ('vary = { crank = "60 mm" }\nmeasure = { a = \'max("piston.x")\' }\nsobol = true', "sample"),
        ('vary = { crank = "60 mm" }\nmeasure = { a = \'max("piston.x")\' }\nzip = true\nsample = 3', "one of them"),
        ('vary = { crank = "60 mm" }\nmeasure = { a = \'max("piston.x")\' }\nmesure = 3', "mesure"),
    ],
)
def test_faulty_sweeps_of_the_model_file(model, block, words):
    with pytest.raises(cardan.ModelError, match=words) as fault:
        cardan.sweep(cardan.loads(model.to_toml() + "\n[[sweep]]\n" + block + "\n"), until=0.01)
    assert words == "piston.x" or any(d.line > 0 for d in fault.value.diagnostics)


def test_which_sweep_is_meant(model):
    block = "[[sweep]]\nname = '{}'\nvary = {{ crank = '60 mm' }}\nmeasure = {{ a = 'max(\"piston.x\")' }}\n"
    two = cardan.loads(model.to_toml() + block.format("first") + block.format("second"))
    with pytest.raises(cardan.ModelError, match="first, second"):
        cardan.sweep(two, until=0.01)
    with pytest.raises(cardan.ModelError, match="did you mean 'second'"):
        cardan.sweep(two, block="secnd", until=0.01)
    with pytest.raises(cardan.ModelError, match="without"):
        cardan.sweep(model, until=0.01)


def test_parquet(swept, tmp_path):
    import pyarrow.parquet

    swept.to_parquet(tmp_path / "table.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "table.parquet")
    assert np.array_equal(table["peak"].to_numpy(), swept["peak"])
    assert json.loads(table.schema.metadata[b"units"]) == swept.units


def test_the_page(swept, tmp_path):
    chosen = swept.page(tmp_path / "page.html", [0, 7])
    assert chosen == [0, 7]
    text = (tmp_path / "page.html").read_text()
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert data["columns"]["peak"] == swept["peak"].tolist() and data["reports"] == [0, 7]
    for name in ("0.html", "7.html", "0-7.html"):
        assert (tmp_path / "page-points" / name).stat().st_size > 10000
    with pytest.raises(cardan.ModelError, match="point 99"):
        swept.page(tmp_path / "other.html", [99])


def test_two_kinds_of_tolerances(models):
    """Piston of a centric slider-crank in line: x = r + l, so its deviation is the root of the sum of squares."""
    count = 10000 if os.environ.get("CARDAN_FULL") else 300
    m = cardan.load(models / "slider-crank")
    s = cardan.sweep(
        m,
        {"crank": "normal(80 mm, 0.05 mm)", "rod": "normal(200 mm, 0.08 mm)"},
        {"x": 'initial("piston.x")'},
        sample=count,
        seed=7,
        until="1 ms",
    )
    known = np.hypot(0.05e-3, 0.08e-3)
    assert abs(s.statistics("x")["standard deviation"] / known - 1) < 4 / np.sqrt(2 * count)


SLIDER_CRANK = """
[parameters]
crank = "80 mm"
rod = "200 mm"
offset = "0 mm"
[[body]]
name = "crank"
from = [0, 0]
to = ["crank", 0]
mass = 1
[[body]]
name = "rod"
from = ["crank", 0]
to = ["crank + sqrt(rod^2 - offset^2)", "offset"]
mass = 1
[[body]]
name = "piston"
at = ["crank + sqrt(rod^2 - offset^2)", "offset"]
mass = 1
inertia = 1e-3
[[joint]]
type = "revolute"
name = "main bearing"
between = ["ground", "crank"]
at = [0, 0]
[[joint]]
type = "revolute"
name = "crank pin"
between = ["crank", "rod"]
at = ["crank", 0]
[[joint]]
type = "revolute"
name = "wrist pin"
between = ["rod", "piston"]
at = ["crank + sqrt(rod^2 - offset^2)", "offset"]
[[joint]]
type = "translational"
name = "cylinder"
between = ["ground", "piston"]
axis = [1, 0]
at = [0, "offset"]
[[driver]]
joint = "main bearing"
name = "motor"
motion = "t * 1 rad/s"
[[analysis]]
type = "kinematic"
until = "1 s"
output_step = "0.25 s"
"""


def test_tolerances_of_a_turned_slider_crank():
    """x = r cos a + sqrt(l^2 - (r sin a - e)^2) at a = 1 rad: its deviation to first order is the root of the sum of
    (dx/dr s_r)^2, (dx/dl s_l)^2, (dx/de s_e)^2; the sampling error of a deviation is s / sqrt(2 n)."""
    count = 10000 if os.environ.get("CARDAN_FULL") else 1000
    vary = {"crank": "normal(80 mm, 0.05 mm)", "rod": "normal(200 mm, 0.08 mm)", "offset": "normal(0 mm, 0.1 mm)"}
    s = cardan.sweep(cardan.loads(SLIDER_CRANK), vary, {"x": 'final("piston.x")'}, sample=count, seed=11)
    assert set(s.status) == {"complete"}
    r, l, a = 0.08, 0.2, 1.0
    root = np.sqrt(l**2 - (r * np.sin(a)) ** 2)
    by_crank = np.cos(a) - r * np.sin(a) ** 2 / root
    by_rod, by_offset = l / root, r * np.sin(a) / root
    known = np.sqrt((by_crank * 0.05e-3) ** 2 + (by_rod * 0.08e-3) ** 2 + (by_offset * 0.1e-3) ** 2)
    found = s.statistics("x")
    print(f"{count} points: deviation {found['standard deviation']:.6g} m, to first order {known:.6g} m")
    assert abs(found["standard deviation"] / known - 1) < 4 / np.sqrt(2 * count)
    assert abs(found["mean"] - (r * np.cos(a) + root)) < 4 * known / np.sqrt(count)
    exact = s["crank"] * np.cos(a) + np.sqrt(s["rod"] ** 2 - (s["crank"] * np.sin(a) - s["offset"]) ** 2)
    assert np.abs(s["x"] - exact).max() < 1e-12


LAW = """
include = ["part.toml"]
[parameters]
pull = "1 N"
[[curve]]
name = "law"
type = "linear"
file = "law.csv"
[[force]]
type = "force"
name = "force"
body = "ball"
value = ["pull * law(t)", 0]
[[analysis]]
type = "dynamic"
until = "1 s"
"""


@pytest.fixture
def with_files(tmp_path, monkeypatch):
    """A model of several files, named as from its own folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.toml").write_text(LAW)
    (tmp_path / "part.toml").write_text("[[body]]\nname = 'ball'\nat = [0, 0]\nmass = 1\ninertia = 1\n")
    (tmp_path / "law.csv").write_text("0,1\n1,2\n2,2\n")
    return tmp_path


def test_workers_need_no_files_of_the_model(with_files, tmp_path_factory, monkeypatch):
    m = cardan.load("model.toml")
    here = cardan.sweep(m, {"pull": "1:0.5:3 N"}, {"x": 'final("ball.x")'}, output="here")
    assert here["x"] == pytest.approx(here["pull"] * (1 / 2 + 1 / 6), rel=1e-6)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    for name in ("part.toml", "law.csv"):
        (with_files / name).unlink()
    rows = sys.modules["cardan.sweep_workers"].run_chunk(json.dumps(here.about), [0, 4])
    assert [row[5][0] for row in rows] == here["x"][[0, 4]].tolist()
    here.folder = str(with_files / "here")
    assert here.rerun(4)["ball.x"][-1] == pytest.approx(here["x"][4], rel=1e-9)
    with pytest.raises(KeyError, match="point 99"):
        here.rerun(99)


def test_names_of_columns(model, models):
    for name in ("crank", "status"):
        with pytest.raises(cardan.ModelError, match=f"'{name}', which is the name of another column"):
            cardan.sweep(model, {"crank": "60:10:90 mm"}, {name: 'max("piston.x")'}, until=0.01)
    one = cardan.sweep(model, {"crank": "60:10:70 mm"}, {"x": 'max("piston.x")', "X": 'min("piston.x")'}, until=0.1)
    assert (one["x"] > one["X"]).all()
    assert one.to_pandas()["X"].tolist() == one["X"].tolist()


def test_where_there_is_only_numpy(model, swept, capsys, monkeypatch):
    for name in ("pandas", "tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "<td>0.06</td>" in swept._repr_html_() and "crank [m]" in swept._repr_html_()
    cardan.sweep(model, {"crank": "uniform(60 mm, 90 mm)"}, MEASURE, sample=300, until=0.1, progress=True)
    assert "of 300 points" in capsys.readouterr().err
    model.run(until=1, rtol=1e-13, max_step=2e-5, progress=True)
    said = capsys.readouterr().err
    assert "s of 1 s" in said and said.endswith("\n")
