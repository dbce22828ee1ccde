"""What `cardan optimise` asks for, as JSON in its only argument."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

from . import _core
from .errors import Diagnostic, Error
from .model import load
from .optimise import Optimum, fit, minimise


def _pairs(items: list[str], what: str) -> dict[str, str]:
    found = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise Error([Diagnostic("usage.bad-value", "error", f"{what} '{item}'", "name=value")])
        found[name.strip()] = value.strip()
    return found


def _facts(best: Optimum) -> dict[str, Any]:
    return {
        "parameters": best.parameters,
        "units": best.units,
        "value": best.value,
        "success": best.success,
        "message": best.message,
        "runs": best.evaluations,
        "derivatives": best.derivatives,
        "constraints": best.constraints,
        "starts": [{"start": s.start, "parameters": s.parameters, "value": s.value, "success": s.success} for s in best.starts],
    }


def run(asked: dict[str, Any]) -> Optimum:
    if asked["version"] != _core.version():
        raise Error(
            [
                Diagnostic(
                    "io.other-version",
                    "error",
                    f"a Python package of version {_core.version()}",
                    f"version {asked['version']}, which the program is",
                )
            ]
        )
    m = load(asked["model"], spatial=asked["spatial"]).set(**_pairs(asked["set"], "--set"))
    how: dict[str, Any] = {key.replace("-", "_"): value for key, value in asked["options"]}
    how.update(starts=asked["starts"], seed=asked["seed"], analysis=asked["analysis"])
    over = _pairs(asked["over"], "--over")
    if asked["fit"]:
        return fit(m, asked["fit"], over, **how)
    maximise = bool(asked["maximise"])
    objective = asked["maximise"] or asked["minimise"]
    return minimise(m, objective, over, subject_to=asked["subject_to"], maximise=maximise, **how)


def _known(item: Any) -> Any:
    """Numbers that are not known as null, as everywhere in JSON."""
    if isinstance(item, dict):
        return {key: _known(value) for key, value in item.items()}
    if isinstance(item, list):
        return [_known(value) for value in item]
    return None if isinstance(item, float) and not math.isfinite(item) else item


def _refused(fault: Error) -> int:
    print(f"cardan: {fault}", file=sys.stderr)
    return max(1, _core.exit_code([(d.id, d.severity) for d in fault.diagnostics]))


def main() -> int:
    asked = json.loads(sys.argv[1])
    try:
        best = run(asked)
    except KeyboardInterrupt:
        return 130
    except Error as fault:
        return _refused(fault)
    except OSError as fault:
        return _refused(Error([Diagnostic("io.open", "error", f"{fault.filename}: {fault.strerror}", "a file that you may read")]))
    if asked["json"]:
        print(json.dumps({"type": "optimum", **_known(_facts(best))}))
    else:
        print(best)
        arguments = " ".join(f"--set '{n}={x!r}'" for n, x in best.parameters.items())
        print(f"to run it: cardan run {asked['model']} {arguments}")
    return 0 if best.success else 4


if __name__ == "__main__":
    sys.exit(main())
