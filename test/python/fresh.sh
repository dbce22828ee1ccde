#!/usr/bin/env bash
# A wheel, or the repository itself, installed in an environment that has nothing but what it asks for: fresh.sh WHEEL|FOLDER ENVIRONMENT
set -eu
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
rm -rf "$2"
python3 -m venv "$2"
"$2/bin/pip" install -q --disable-pip-version-check "$1"
# A wheel brings its libraries along: none of those that only a build installs is taken from this machine.
if [[ $1 == *.whl ]] && ldd "$2"/lib/python3*/site-packages/cardan/_core*.so | grep -E 'not found|klu|amd|btf|suitesparse|fmt|sqlite' | grep -vF "$2/"; then
  echo "this wheel does not stand alone" >&2
  exit 1
fi
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
