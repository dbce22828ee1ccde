"""A row of N four-bars (models/n-four-bar) for 10 s beside MuJoCo: python bench/peers/four_bars.py CARDAN [N ...]

    N <loops> <program> <setting> cpu <s> error <m>

CARDAN is the program; `pip install mujoco numpy` beside it. Processor time is that of the simulation in MuJoCo (steps alone), and of the whole process of
Cardan with its start and its store. The error is that of the top of the first crank at the end, beside the single equation that the
mechanism has while its cranks are parallel,
    ((N + 1)/3 + N) theta'' = -g ((N + 1)/2 + N) cos(theta),
solved by the classical method of order 4 with 10 us steps.
"""

import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

G, END, STEP = 9.81, 10.0, 1e-3


def exact_angle(n):
    c = -G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    theta, omega, h = math.pi / 2, -1.0, 1e-5
    for _ in range(round(END / h)):
        a1 = c * math.cos(theta)
        a2 = c * math.cos(theta + h / 2 * omega)
        a3 = c * math.cos(theta + h / 2 * (omega + h / 2 * a1))
        a4 = c * math.cos(theta + h * (omega + h / 2 * a2))
        theta += h * (omega + h / 6 * (a1 + a2 + a3))
        omega += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return theta


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_cardan(program, n, options):
    model = pathlib.Path(__file__).parents[2] / "models" / "n-four-bar"
    with tempfile.TemporaryDirectory() as folder:
        before = children_seconds()
        command = [program, "run", str(model), "--set", f"n={n}", "--until", str(END), "--output-step", str(END), "--no-report", "-q", *options]
        subprocess.run([*command, "--output", folder + "/run"], check=True, stdout=subprocess.DEVNULL)
        took = children_seconds() - before
        summary = json.loads(pathlib.Path(folder, "run", "summary.json").read_text())
    return took, summary


def mujoco_seconds(n):
    import mujoco

    rod = '<geom type="capsule" fromto="0 0 0 {0} 0 {1}" size="0.01" mass="0" contype="0" conaffinity="0"/>'
    inertia = '<inertial pos="{0} 0 {1}" mass="1" diaginertia="{2} 0.083333333333333333 {3}"/>'
    bodies, joins = [], []
    for i in range(n + 1):
        coupler = ""
        if i < n:
            coupler = (f'<body name="coupler{i}" pos="0 0 1"><joint type="hinge" axis="0 1 0"/>'
                       + inertia.format(0.5, 0, 1e-3, 1 / 12) + rod.format(1, 0) + "</body>")
            joins.append(f'<connect body1="coupler{i}" body2="crank{i + 1}" anchor="1 0 0" solref="{2 * STEP} 1"/>')
        bodies.append(f'<body name="crank{i}" pos="{i} 0 0"><joint type="hinge" axis="0 1 0"/>'
                      + inertia.format(0, 0.5, 1 / 12, 1e-3) + rod.format(0, 1) + coupler + "</body>")
    text = (f'<mujoco><option timestep="{STEP}" gravity="0 0 -{G}" integrator="implicitfast"/><worldbody>' + "".join(bodies)
            + "</worldbody><equality>" + "".join(joins) + "</equality></mujoco>")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    # A positive turn about y leads from z to x: the cranks turn to the right.
    for i in range(n + 1):
        data.qvel[model.jnt_dofadr[model.body(f"crank{i}").jntadr[0]]] = 1
        if i < n:
            data.qvel[model.jnt_dofadr[model.body(f"coupler{i}").jntadr[0]]] = -1
    start = time.process_time()
    for _ in range(round(END / STEP)):
        mujoco.mj_step(model, data)
    took = time.process_time() - start
    turned = data.qpos[model.jnt_qposadr[model.body("crank0").jntadr[0]]]
    return took, math.pi / 2 - turned


def main():
    program, sizes = sys.argv[1], [int(x) for x in sys.argv[2:]] or [40, 1000]
    for n in sizes:
        theta = exact_angle(n)

        def off(angle):
            return math.hypot(math.cos(angle) - math.cos(theta), math.sin(angle) - math.sin(theta))

        for formulation, integrator, rtol in [("reduced", "dop853", 1e-7), ("projected", "dop853", 1e-7)]:
            options = ["--formulation", formulation, "--integrator", integrator, "--rtol", str(rtol), "--atol", str(rtol)]
            took, summary = run_cardan(program, n, options)
            angle = summary["final"]["crank 0"]["q"][2]
            print(f"N {n} cardan {formulation}+{integrator},{rtol:g} cpu {took:.3g} error {off(angle):.2e}", flush=True)
        took, angle = mujoco_seconds(n)
        print(f"N {n} mujoco implicitfast,{STEP:g} cpu {took:.3g} error {off(angle):.2e}", flush=True)


main()
