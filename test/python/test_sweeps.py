"""Sweeps: the same rows whoever runs them, interrupted ones gone on with, bad input named."""

import concurrent.futures
import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
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
    ],
)
def test_bad_input_is_named(model, vary, measure, words, tmp_path):
    with pytest.raises(cardan.ModelError, match=words):
        cardan.sweep(model, vary, measure, output=tmp_path / "sweep")
    assert not (tmp_path / "sweep").exists()


def test_a_worker_of_another_version_is_refused(swept):
    about = json.dumps({**swept.about, "version": "0.0.1"})
    with pytest.raises(cardan.Error, match="0.0.1"):
        sys.modules["cardan.sweep"].run_chunk(about, [0])


def test_a_killed_worker_of_dask_loses_nothing(model, tmp_path):
    distributed = pytest.importorskip("dask.distributed")
    vary = {"crank": "normal(80 mm, 0.05 mm)", "rod": "uniform(199 mm, 201 mm)"}
    asked = {"sample": 600, "seed": 3, "until": 0.1}
    here = cardan.sweep(model, vary, MEASURE, output=tmp_path / "here", **asked)
    killed = []
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        workers = list(client.run(os.getpid).values())

        def kill_one(done, count, failed):
            if not killed:
                os.kill(workers[0], signal.SIGKILL)
                killed.append(done)

        there = cardan.sweep(
            model, vary, MEASURE, output=tmp_path / "there", client=client, chunk=20, progress=kill_one, **asked
        )
    assert killed and killed[0] < 600
    assert rows(there.folder) == rows(here.folder)


def test_a_killed_program_loses_nothing(models, program, tmp_path):
    words = ["--vary", "crank=normal(80 mm, 0.05 mm)", "--sample", "1500", "--seed", "2", "--until", "0.1"]
    words += ["--workers", "2", "--measure", 'peak = max(abs("wrist pin.force"))']
    begin = [program, "sweep", str(models / "slider-crank"), *words]
    subprocess.run([*begin, "-o", str(tmp_path / "whole")], check=True, capture_output=True)
    first = subprocess.Popen([*begin, "-o", str(tmp_path / "killed")], stdout=subprocess.DEVNULL)
    while first.poll() is None and not (tmp_path / "killed/sweep.db-wal").exists():
        time.sleep(0.01)
    stopped = 0
    for k in range(20 if "CARDAN_FULL" in os.environ else 4):
        resume = [program, "sweep", "resume", str(tmp_path / "killed")]
        process = first if k == 0 else subprocess.Popen(resume, stdout=subprocess.DEVNULL)
        try:
            process.wait(0.3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            stopped += 1
    subprocess.run([program, "sweep", "resume", str(tmp_path / "killed")], check=True, capture_output=True)
    assert stopped > 0
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
    built.sweep("strokes", vary=VARY, measure=MEASURE)
    by_code = cardan.sweep(built, until=0.1)
    assert rows(by_code.folder) == rows(swept.folder)


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
