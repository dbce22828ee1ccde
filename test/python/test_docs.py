"""What the documentation shows of Python runs as it stands, and the options of its commands are there."""

import functools
import os
import pathlib
import re
import shlex
import subprocess
import sys

import cardan
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(page):
    found = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert found, page
    return found


@pytest.fixture
def beside_models(models, tmp_path, monkeypatch):
    """A folder with what the pages name: models, and a model of one's own."""
    (tmp_path / "models").symlink_to(models)
    (tmp_path / "model.toml").write_text((models / "slider-crank/model.toml").read_text())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_of_the_package(beside_models):
    names = {"cardan": cardan, "text": (beside_models / "model.toml").read_text()}
    for block in blocks("docs/user-guide/python.md"):
        exec(compile(block, "python.md", "exec"), names)
    q = names["end"].y[: names["n"], -1]
    assert np.abs(names["s"].phi(0.03, q)).max() < 1e-6  # of Andrews' mechanism


def test_the_page_of_sweeps(beside_models):
    sweep, search = blocks("docs/user-guide/sweeps.md")
    names = {"cardan": cardan}
    exec(compile(sweep, "sweeps.md", "exec"), names)
    assert names["s"].status == ["complete"] * 10
    exec(compile(search, "sweeps.md", "exec"), names)
    assert names["best"].parameters == pytest.approx({"stiffness": 27e3, "damping": 2100}, rel=0.01)  # what the data were made with


def test_the_commands_of_the_page_of_sweeps(program, beside_models):
    environment = {**os.environ, "CARDAN_PYTHON": sys.executable}
    lines = re.findall(r"^    cardan (.*models/.*)$", (ROOT / "docs/user-guide/sweeps.md").read_text(), flags=re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["sweep", "optimise", "optimise"]
    for line in lines:
        said = subprocess.run([program, *shlex.split(line)], capture_output=True, text=True, env=environment)
        assert said.returncode == 0, line + said.stderr


def test_the_page_of_the_registry(beside_models):
    for block in blocks("python/README.md"):
        exec(compile(block, "README.md", "exec"), {})


@functools.cache
def options_of(program, command):
    return set(re.findall(r"--?[a-z][a-z-]*", subprocess.run([program, command, "--help"], capture_output=True, text=True).stdout))


def commands(page):
    """The commands that a page shows: indented lines and blocks, with their options."""
    text = re.sub(r"\\\n *", "", page.read_text(encoding="utf-8"))
    for line in re.findall(r"^(?:    |\$ )(?:\$ )?(?:bin/)?cardan ([a-z]+(?: .*)?)$", text, flags=re.MULTILINE):
        try:
            yield line, shlex.split(line.split(" # ")[0], comments=True)
        except ValueError:
            continue  # a line of output


def test_options_of_commands_are_there(program):
    seen, wrong = 0, []
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "models").glob("*/README.md"))]
    for page in pages:
        for line, words in commands(page):
            options = [word.split("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)]
            known = options_of(program, words[0])
            seen += len(options)
            wrong += [f"{page.relative_to(ROOT)}: {line}: {option}" for option in options if option not in known]
    assert seen > 100
    assert not wrong, "\n".join(wrong)
