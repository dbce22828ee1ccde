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
    built = [ROOT / "build" / name / "apps/cardan/cardan" for name in ("joined", "release", "dev")]
    return os.environ.get("CARDAN_PROGRAM") or str(next(path for path in built if path.exists()))
