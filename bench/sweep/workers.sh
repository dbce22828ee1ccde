#!/usr/bin/env bash
# Points a second of a sweep by one worker and by two: workers.sh [PROGRAM [RUNS]]. Best on two idle processors; where others work on
# them, root may take both: what is measured then runs before everything else (SCHED_FIFO), and while one worker is measured
# the other processor turns in an empty loop, so that nobody uses its caches and the memory either.
set -eu
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
program=${1:-$root/bin/cardan} runs=${2:-5}
work=$(mktemp -d)
loop=
trap '[ -z "$loop" ] || kill "$loop"; rm -rf "$work"' EXIT
first=()
if chrt -f 40 true 2>/dev/null; then first=(chrt -f 40); fi

seconds() {  # seconds WORKERS PROCESSORS
  taskset -c "$2" "${first[@]}" "$program" sweep "$root/models/slider-crank" --vary 'crank=uniform(70 mm, 90 mm)' --sample 1500 --until 0.5 \
    --measure 'peak = max(abs("wrist pin.force"))' --workers "$1" -o "$work/sweep" --force --json |
    sed -nE 's/.*"type":"sweep".*"seconds":([0-9.]+).*/\1/p'
}

for ((k = 0; k < runs; ++k)); do
  if [ ${#first[@]} -gt 0 ]; then
    taskset -c 1 "${first[@]}" bash -c 'while :; do :; done' &
    loop=$!
  fi
  one=$(seconds 1 0)
  if [ -n "$loop" ]; then kill "$loop"; wait "$loop" 2>/dev/null || true; loop=; fi
  two=$(seconds 2 0,1)
  awk -v a="$one" -v b="$two" 'BEGIN { printf "one worker %.3f s, two %.3f s: %.2f times the points a second\n", a, b, a / b }'
done
