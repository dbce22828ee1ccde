"""Values as TOML, the language of model files."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import Diagnostic, ModelError


def key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def value(x: Any) -> str:
    """One value.

    >>> value([1, "80 mm", True])
    '[1, "80 mm", true]'
    >>> value({"box": [0.1, 0.2]})
    '{ box = [0.1, 0.2] }'
    """
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, (float, np.floating)):
        if not math.isfinite(x):
            raise ModelError([Diagnostic("usage.bad-value", "error", f"{x}, which is no number of a model", "finite numbers")])
        return repr(float(x))
    if isinstance(x, Mapping):
        return "{ " + ", ".join(f"{key(str(k))} = {value(v)}" for k, v in x.items()) + " }"
    if isinstance(x, (list, tuple, np.ndarray)):
        return "[" + ", ".join(value(v) for v in x) + "]"
    raise TypeError(f"{type(x).__name__} cannot stand in a model; numbers, texts, lists and tables can")


def table(header: str, entries: Mapping[str, Any]) -> str:
    """A table under its header, or the first lines of a file for an empty one."""
    lines = [header] if header else []
    lines += [f"{key(k)} = {value(v)}" for k, v in entries.items()]
    return "\n".join(lines) + "\n"
