"""Where the tests find models and the program."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def models():
    return ROOT / "models"


@pytest.fixture(scope="session")
def program():
    """The command line that was built with the same library."""
    return os.environ.get("CARDAN_PROGRAM", str(ROOT / "build/joined/apps/cardan/cardan"))
