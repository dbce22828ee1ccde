"""Runs cases of bin/bench beside the yardstick and the peers that are installed, and keeps what they gave by machine:

    bench/results/MACHINE/README.md    a table of all cases, with date, compiler and load
    bench/results/MACHINE/CASE.svg     work-precision plot: processor time of a solve over its error
    bench/results/MACHINE/points.csv   the points of the plots

Called by `bin/bench --record [CASE ...]` with the folder of the built programs.
"""

import csv
import datetime
import math
import os
import pathlib
import re
import subprocess
import sys

SOLVES = ["andrews", "dop853", "projected", "reduced"]
CASES = SOLVES + ["evaluation", "states", "chain-pin", "chain-ball", "chain-hinge", "four-bars", "loops", "vehicle", "stiff", "start-up"]
COLOURS = ["#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910"]


def machine():
    """A name of the processor for a folder, and the processor in words."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.*)", text)
    words = model.group(1).strip() if model else "unknown processor"
    flags = set(re.search(r"flags\s*:\s*(.*)", text).group(1).split()) if "flags" in text else set()
    best = next((s for s in ["avx512f", "avx2", "avx"] if s in flags), "")
    family = re.search(r"cpu family\s*:\s*(\d+)", text)
    number = re.search(r"model\s*:\s*(\d+)", text)
    kind = f"{family.group(1)}-{number.group(1)}" if family and number else ""
    name = re.sub(r"[^a-z0-9]+", "-", f"{words} {kind} {best}".lower()).strip("-")
    return name, f"{words}, {os.cpu_count()} processors, {best or 'no AVX'}"


def run(command):
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode != 0:
        print(f"{' '.join(map(str, command))}: {out.stderr.strip()}", file=sys.stderr)
        return []
    return out.stdout.splitlines()


def points_of(lines):
    """(program, tolerance, error, us) of lines `CASE point PROGRAM tolerance T error E us U`."""
    found = []
    for line in lines:
        m = re.match(r"\S+ point (.+) tolerance (\S+) error (\S+) us (\S+)$", line)
        if m and math.isfinite(float(m[3])) and float(m[3]) > 0 and float(m[4]) > 0:
            found.append((m[1], float(m[2]), float(m[3]), float(m[4])))
    return found


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def plot(title, points, path):
    """Error to the left, time upwards, both by decades."""
    width, height, left, right, top, bottom = 640, 420, 70, 200, 40, 50
    low, high = decades([p[2] for p in points])
    fast, slow = decades([p[3] for p in points])

    def x(error):
        return left + (high - math.log10(error)) / max(high - low, 1) * (width - left - right)

    def y(us):
        return height - bottom - (math.log10(us) - fast) / max(slow - fast, 1) * (height - top - bottom)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="22" font-size="15">{title}</text>']
    for k in range(low, high + 1):
        place = x(10.0**k)
        out.append(f'<line x1="{place:.1f}" y1="{top}" x2="{place:.1f}" y2="{height - bottom}" stroke="#ddd"/>')
        out.append(f'<text x="{place:.1f}" y="{height - bottom + 18}" text-anchor="middle">1e{k}</text>')
    for k in range(fast, slow + 1):
        place = y(10.0**k)
        out.append(f'<line x1="{left}" y1="{place:.1f}" x2="{width - right}" y2="{place:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{place + 4:.1f}" text-anchor="end">1e{k}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">error of the angles, rad</text>')
    out.append(f'<text transform="translate(18 {height / 2}) rotate(-90)" text-anchor="middle">processor time of a solve, us</text>')
    for k, program in enumerate(dict.fromkeys(p[0] for p in points)):
        colour = COLOURS[k % len(COLOURS)]
        own = sorted((p for p in points if p[0] == program), key=lambda p: -p[1])
        way = " ".join(f"{x(p[2]):.1f},{y(p[3]):.1f}" for p in own)
        out.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out += [f'<circle cx="{x(p[2]):.1f}" cy="{y(p[3]):.1f}" r="3" fill="{colour}"/>' for p in own]
        row = top + 14 + 20 * k
        out.append(f'<line x1="{width - right + 12}" y1="{row}" x2="{width - right + 32}" y2="{row}" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{width - right + 38}" y="{row + 4}">{program}</text>')
    out.append("</svg>")
    path.write_text("\n".join(out) + "\n")


def main():
    programs, cases = pathlib.Path(sys.argv[1]), sys.argv[2:] or CASES
    root = pathlib.Path(__file__).resolve().parent
    name, words = machine()
    folder = root / "results" / name
    folder.mkdir(parents=True, exist_ok=True)
    peers = sorted(p for p in programs.glob("peer_*") if os.access(p, os.X_OK) and p.is_file())
    rows, kept, plots = [], [], []
    for case in cases:
        print(f"{case} ...", file=sys.stderr)
        lines = run([programs / "run_case", case, "--points"])
        points = points_of(lines)
        if case in SOLVES:
            for peer in peers:
                points += points_of(run([peer]))
        for line in lines:
            m = re.match(r"(\S+) (\S+) ours (\S+) yardstick (\S+) ratio (\S+)$", line)
            if m:
                rows.append(m.groups())
                print(line)
            elif " point " not in line:
                print(line)
        if points:
            plot(f"Andrews' mechanism: {case}", points, folder / f"{case}.svg")
            plots.append(case)
            kept += [(case, *p) for p in points]
    load = os.getloadavg()[0]
    compiler = (run(["c++", "--version"]) or ["unknown compiler"])[0]
    text = [f"# {words}", "", f"{datetime.date.today().isoformat()}, {compiler}, load {load:.1f}. Microseconds of processor time,",
            "release build beside the yardstick in the same run; what the cases are: docs/performance.md.", "",
            "| case | at | ours | yardstick | ratio |", "|---|---|---|---|---|"]
    text += [f"| `{r[0]}` | {r[1]} | {r[2]} | {r[3]} | {r[4]} |" for r in rows]
    for case in plots:
        text += ["", f"![{case}]({case}.svg)"]
    (folder / "README.md").write_text("\n".join(text) + "\n")
    with open(folder / "points.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "program", "tolerance", "error", "us"])
        writer.writerows(kept)
    print(f"kept in {folder.relative_to(root.parent)}", file=sys.stderr)


if __name__ == "__main__":
    main()
