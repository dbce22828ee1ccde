#!/usr/bin/env bash
# A wheel, or the repository itself, installed in an environment that has nothing but what it asks for: fresh.sh WHEEL|FOLDER ENVIRONMENT
set -eu
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
rm -rf "$2"
python3 -m venv "$2"
"$2/bin/pip" install -q --disable-pip-version-check "$1"
cd /
"$2/bin/python" - "$root/models/slider-crank" <<'END'
import sys

import cardan

run = cardan.load(sys.argv[1]).run(until=0.1)
assert run.status == "complete" and run["crank.angle"].unit == "rad"
swept = cardan.sweep(cardan.load(sys.argv[1]), {"crank": "70:10:90 mm"}, {"x": 'final("piston.x")'}, until=0.1)
assert swept.status == ["complete"] * 3
print(run, swept)
END
