"""Points per second of a sweep beside Exudyn's ParameterVariation: the same mechanism, the same points, equal error of the measure,
one processor, one run.

    pip install exudyn . && python bench/sweep/beside_exudyn.py

models/slider-crank is run to 0.5 s for 4 cranks times 3 rods; measured is where the piston is then. Both programs are tried with several
steps or tolerances; of each the cheapest setting is taken that keeps the largest error over all points below a bound. Errors are those
against dop853 at rtol 1e-13. Times are those of the processor.
"""

import itertools
import pathlib
import sys
import time

import cardan
import exudyn
import exudyn.itemInterface as items
import numpy as np
from exudyn.processing import ParameterVariation

MODEL = pathlib.Path(__file__).resolve().parents[2] / "models" / "slider-crank"
CRANKS, RODS, END = np.linspace(0.07, 0.09, 4), np.linspace(0.19, 0.21, 3), 0.5
SPEED, GRAVITY = 300 * 2 * np.pi / 60, 9.81


def by_exudyn(given):
    """The same slider-crank in plane rigid bodies; given: crank, rod, and the settings of the solver."""
    r, l = given["crank"], given["rod"]
    h, solver = given["functionData"]["step"], given["functionData"]["solver"]
    system = exudyn.SystemContainer().AddSystem()
    ground = system.AddObject(items.ObjectGround())

    def body(mass, inertia, place, velocity, rate):
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*place, 0], initialVelocities=[*velocity, rate]))
        number = system.AddObject(items.RigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))
        centre = system.AddMarker(items.MarkerBodyPosition(bodyNumber=number, localPosition=[0, 0, 0]))
        system.AddLoad(items.Force(markerNumber=centre, loadVector=[0, -mass * GRAVITY, 0]))
        return node, number

    def point(number, x, y=0):
        return system.AddMarker(items.MarkerBodyPosition(bodyNumber=number, localPosition=[x, y, 0]))

    crank = body(0.4, 0.4 * r * r / 12, [r / 2, 0], [0, SPEED * r / 2], SPEED)[1]
    rod = body(0.9, 0.9 * l * l / 12, [r + l / 2, 0], [0, SPEED * r / 2], -SPEED * r / l)[1]
    node, piston = body(1.2, 1.2 * (0.06**2 + 0.04**2) / 12, [r + l, 0], [0, 0], 0)
    for a, b in ((point(ground, 0), point(crank, -r / 2)), (point(crank, r / 2), point(rod, -l / 2)), (point(rod, l / 2), point(piston, 0))):
        system.AddObject(items.RevoluteJoint2D(markerNumbers=[a, b]))
    fixed = system.AddMarker(
        items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0)
    )
    for coordinate in (1, 2):  # the piston neither rises nor turns
        system.AddObject(
            items.CoordinateConstraint(markerNumbers=[fixed, system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))])
        )
    system.AddObject(items.SpringDamper(markerNumbers=[point(ground, 0.4), point(piston, 0)], stiffness=2000, referenceLength=0.12))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(END / h)
    settings.timeIntegration.endTime = END
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    settings.parallel.numberOfThreads = 1
    exudyn.SolveDynamic(system, settings, solverType=getattr(exudyn.DynamicSolverType, solver), updateInitialValues=False)
    return float(system.GetNodeOutput(node, exudyn.OutputVariableType.Position)[0])


def exudyn_sweep(step, solver):
    _, values = ParameterVariation(
        parameterFunction=by_exudyn,
        parameters={"crank": list(CRANKS), "rod": list(RODS)},
        parameterFunctionData={"step": step, "solver": solver},
        useMultiProcessing=False,
        showProgress=False,
    )
    return np.array(values)


def cardan_sweep(model, **options):
    s = cardan.sweep(
        model, {"crank": list(CRANKS), "rod": list(RODS)}, {"x": 'final("piston.x")'}, until=END, workers=1, **options
    )
    assert set(s.status) == {"complete"}, s.status
    return s["x"]


def measured(run, exact):
    """Largest error, points per second of the processor."""
    begun = time.process_time()
    values = run()
    return float(np.abs(values - exact).max()), len(values) / (time.process_time() - begun)


def main():
    model = cardan.load(MODEL)
    exact = cardan_sweep(model, rtol=1e-13, atol=1e-15, integrator="dop853")
    exudyn_sweep(1e-3, "GeneralizedAlpha")  # what is loaded once
    rows = []
    for solver, step in itertools.product(("GeneralizedAlpha", "TrapezoidalIndex2"), (2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)):
        rows.append(("Exudyn", f"{solver}, step {step:g}", *measured(lambda: exudyn_sweep(step, solver), exact)))
    for integrator, rtol in itertools.product(("ode45", "dop853"), (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)):
        rows.append(("Cardan", f"{integrator}, rtol {rtol:g}", *measured(lambda: cardan_sweep(model, integrator=integrator, rtol=rtol), exact)))
    print(f"cardan {cardan.__version__}, exudyn {exudyn.__version__}, {len(exact)} points\n")
    print("| program | setting | largest error [m] | points a second |\n|---|---|---|---|")
    for program, setting, error, pace in rows:
        print(f"| {program} | {setting} | {error:.1e} | {pace:.0f} |")
    print("\n| error below [m] | Cardan | Exudyn | ratio |\n|---|---|---|---|")
    for bound in (1e-4, 1e-5, 1e-6, 1e-7):
        best = {p: max((row for row in rows if row[0] == p and row[2] <= bound), key=lambda row: row[3], default=None) for p in ("Cardan", "Exudyn")}
        ours, theirs = best["Cardan"], best["Exudyn"]
        if ours and theirs:
            print(f"| {bound:.0e} | {ours[3]:.0f} ({ours[1]}) | {theirs[3]:.0f} ({theirs[1]}) | {ours[3] / theirs[3]:.1f} |")
        else:
            found = [f"{one[3]:.0f} ({one[1]})" if one else "not reached" for one in (ours, theirs)]
            print(f"| {bound:.0e} | {found[0]} | {found[1]} | |")


if __name__ == "__main__":
    sys.exit(main())
