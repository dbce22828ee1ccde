// Diagnostics about a run and its files (assembly, numeric, io, corrupt, defect, interrupted), one
// row an id. A new id gets its row here.
#include "cardan/base/catalogue_groups.h"

namespace cardan {
namespace {

// clang-format off
constexpr CatalogueEntry run_entries[] = {
    {"assembly.infeasible", "The mechanism cannot be assembled",
     "No pose was found in which all joints are closed: lengths do not reach, or the guess is "
     "too far away. The joints that stay open are listed with their gaps, in the nearest pose that was found. The "
     "report draws the model as it was given.",
     "Check the lengths and points of the joints listed. If the mechanism can be closed, give "
     "the bodies positions nearer to the assembled pose."},
    {"assembly.conflict", "Constraints that contradict each other",
     "Two joints or drivers ask for different things, so that no pose or velocity satisfies all of them.",
     "The joints and drivers concerned are named with their lines: remove one, or make their data agree."},
    {"assembly.redundant", "More joints than needed",
     "Some constraint equations follow from the others. The motion is not affected; the "
     "reactions of the joints concerned are not unique, since a stiffer bearing would carry more. "
     "Of all that are possible the smallest are shown.",
     "Nothing needs to be done. For unique reactions replace a joint by one that constrains less."},
    {"assembly.undetermined-friction", "Friction of a reaction that is not unique",
     "A joint has friction in proportion to its reaction, but the reaction is not unique, since "
     "equations are redundant: rigid bodies do not say how the joints share the load. The run uses "
     "the reactions of the equations it keeps, so that other friction is possible too.",
     "Replace a joint of the loop by one that constrains less, so that no equation is redundant, "
     "or put the friction into a joint outside of it."},
    {"assembly.singular-pose", "A singular pose",
     "In this pose the constraint equations lose rank: the mechanism is at a dead centre, toggle "
     "or branching point, where it may move in more than one way.",
     "Start from a pose a little away from it, or say by an initial condition which way it "
     "shall go."},
    {"assembly.branch", "Which of several branches is meant",
     "The mechanism can be put together in several ways, or several motions leave its start, and the choice is missing, "
     "does not exist or is not unique.",
     "`cardan assemble --branches` lists the branches. Choose one in the model file under [assembly]: branch = 2, or "
     "branch = \"coupler_y > 0\", a condition over requests that holds in this branch alone."},
    {"assembly.penetration", "A hard stop or contact is violated at the start",
     "In the assembled pose the bodies are already beyond a limit that nothing can pass.",
     "Correct the initial positions, the limit or the radius, or make it compliant with `stiffness`."},
    {"assembly.moved", "Bodies were moved to close the joints",
     "The mechanism as drawn does not close, or not at the start that drivers and initial conditions ask for. The bodies "
     "named were moved to the nearest pose that does.",
     "Nothing needs to be done when the drawing was meant as a rough one. A large move often comes from a wrong number: "
     "look at the position of the body and of its joints."},
    {"assembly.dropped-velocity", "A velocity that the joints do not allow",
     "A body has a velocity in the model that its joints, drivers or initial conditions do not allow. The nearest one "
     "that they allow was taken, often zero.",
     "Write an [[initial]] condition with the rate or velocity of a joint, which says what is meant."},
    {"assembly.free-motion", "The drawing decides how the mechanism starts",
     "Not every degree of freedom has an initial position and velocity. For the others the drawn pose and velocity are "
     "used, zero where none is drawn.",
     "Write [[initial]] conditions for the motions named where the drawing is not what you mean."},
    {"numeric.backwards", "An analysis runs backwards in time",
     "Each analysis goes on at the time at which the one before it ended. The end time of this one is earlier, so that "
     "the motion is followed backwards; what is damped grows then.",
     "If one more second was meant, write an end time one second later. If the past is meant, nothing needs to be done."},
    {"numeric.beyond-stability", "A step or a gain beyond the stability limit",
     "Every integrator follows only motions whose fastest rate times the step stays within its stability limit; beyond it "
     "errors grow from step to step until they are all that is left. The same holds for the gains of constraint "
     "stabilization. The rate is that of the linearised motion, at the start and every few hundred steps.",
     "Use the step or the gain that is named, an integrator that chooses its steps, or an implicit one. `cardan method NAME` "
     "shows the limits of a method."},
    {"numeric.gains", "Gains of constraint stabilization that were chosen",
     "No gains were given, so the program chose them from the integrator's stability limit and the step. They are in the "
     "summary and in the channels `stabilization.alpha` and `stabilization.beta` too.",
     "Nothing needs to be done. To choose them yourself, write `alpha` and `beta`, or `zeta` and `omega`."},
    {"numeric.change-over", "The method was changed during the run",
     "The method was left to the program. The motion began without fast decaying parts, so an explicit method was chosen; "
     "they came later, and its steps became as small as stability asks. An implicit method goes on from there.",
     "Nothing needs to be done. To begin with the implicit method, name it as `formulation` and `integrator`."},
    {"numeric.step-too-large", "The given step is too large",
     "The equations can be evaluated where the step begins, but not at the states within it, and a "
     "method with a given step cannot take a smaller one.",
     "Give a smaller step, or use an integrator that chooses its steps."},
    {"numeric.step-too-small", "The step became too small",
     "The integrator could not meet the tolerance however small the step. The motion has a jump "
     "or an infinite force there, the mechanism locks, or the tolerance is finer than round-off.",
     "Look at the results just before this time. Smooth jumps with step(), check springs that "
     "reach length zero, or relax rtol and atol."},
    {"numeric.friction-paradox", "Friction leaves the motion undetermined",
     "Friction depends on reactions, and these on friction. Where friction is strong and the geometry "
     "presses the bodies together as they slide (the paradox of Painleve), the equations have no "
     "solution or several; the mechanism would jam or jump.",
     "The joint or contact is named: less friction, another geometry, or a compliant contact."},
    {"numeric.friction-at-rest", "Friction without a direction",
     "The motion is given and a joint or contact with friction does not slide. Friction is then any "
     "force within its limit, so that the forces of drivers and joints are not unique. They are "
     "given without this friction.",
     "Nothing needs to be done where only the moving parts matter. A dynamic analysis finds the "
     "friction where something else than drivers decides whether it holds."},
    {"numeric.contact-centres", "A contact without a direction",
     "Two bodies in a compliant contact were pressed into each other until the centre of one lay on "
     "the centre or the axis of the other. There nothing says in which direction they push.",
     "The contact is named: more stiffness, or a start in which the bodies do not overlap so far."},
    {"numeric.chatter", "Events without end",
     "A condition or contact switches to and fro at one instant, so that time does not go on: both "
     "sides of a condition lead back to it, as with sign(rate) at rest.",
     "Use the `friction` of joints and contacts for friction, or smooth the jump with step() or tanh()."},
    {"numeric.not-finite", "A value became infinite or undefined",
     "A force, curve or equation gave infinity or not-a-number: a table or spline was asked "
     "outside its range, a formula left its domain, or the motion ran away.",
     "Where a formula or a table is the cause, the message names it with its line and the values it was given. Extend "
     "the table or say what it does outside, guard the formula with max() or if(), or look for an unstable force."},
    {"numeric.first-step", "A step for a method that chooses its own",
     "`step` is the length of the steps of methods with fixed steps. The method of this run chooses its steps by the "
     "tolerance; the value given is only its first step.",
     "Leave `step` out, bound the steps with `max_step`, or choose a method with fixed steps such as rk4."},
    {"numeric.no-convergence", "An iteration did not converge",
     "The equations of a step, or of the closed joints, could not be solved at this time: no values were found in "
     "which all of them hold.",
     "Try a smaller step or looser tolerance; at the beginning, a better guess of the pose."},
    {"numeric.stiff", "The problem looks stiff",
     "An explicit integrator was held to tiny steps by stability, not by accuracy: some motion "
     "decays or vibrates much faster than what is of interest.",
     "Use an implicit integrator: bdf, radau5, esdirk or rosenbrock."},
    {"numeric.discontinuity", "A jump in the equations",
     "The derivatives change by a finite amount over a vanishing time, and no step was small "
     "enough to cross the jump within the tolerance.",
     "Write the jump with step(), e.g. step(t, 1 s, 0, 1.1 s, 1), or relax the tolerance."},
    {"numeric.singularity", "A singularity was reached",
     "A derivative grows without bound while its variable does not: a division by zero, a root of "
     "zero, or two attracting points that meet.",
     "End the run before this time, or check the force or formula named."},
    {"numeric.escape", "A value grows beyond all limits",
     "The value named grows without bound in finite time.",
     "Look for a wrong sign, a wrong unit or a force that feeds on itself; or end the run before this time."},
    {"numeric.singular", "The equations became singular",
     "The constraints became dependent or the mass matrix singular during the motion: a dead "
     "centre or lock-up was reached.",
     "Look at the pose at this time. Is a link too short? A driver can turn back before the dead centre; of free "
     "motions the formulations projected and partitioned pass singular poses where the motion goes on."},
    {"numeric.contact-lost", "A cam would lose its follower",
     "From the time given the joint between cam and follower would have to pull, which surfaces that "
     "touch cannot do. The analysis goes on as if they were held together; its forces from there on "
     "are not those of the machine.",
     "A stronger or more tightly set spring, a lighter follower or a lower speed keep them together. "
     "A [[contact]] instead of the joint lets them part, in a dynamic analysis."},
    {"numeric.lock-up", "The mechanism locks up",
     "A driver pushes the mechanism to the end of its range: beyond this time no pose closes all joints. Velocities "
     "grow without bound as the lock-up comes near.",
     "Let the driver stop or turn back before, drive another joint, or change the lengths. The pose at the end is stored."},
    {"numeric.singular-passage", "Singular poses were passed",
     "During the motion the constraints lost rank in single poses, where other motions branch off. "
     "The run went on along the smooth branch and kept its energy; the events of the run say when.",
     "Nothing needs to be done. Whether a real mechanism takes this branch depends on clearances "
     "and friction that the model does not have."},
    {"numeric.doubtful", "The results are doubtful",
     "The run went to its end, but what it shows of itself cannot be right: the energy balance is off "
     "by more than the tolerance explains, or there were too few steps to see what is short in time. "
     "The time given is when it began.",
     "Run again with a tighter tolerance or a smaller step and compare; 'cardan compare' tries other "
     "methods. With --strict such a run ends with exit code 6."},
    {"numeric.coarse-rows", "The stored rows do not show the motion",
     "Rows were asked for at fixed times (`output_step`, or `rows = \"grid\"`), and the motion is faster than "
     "they are: between two rows a channel goes beyond what the rows show. Plots, spectra and the animation "
     "are made of rows. Least and largest values, means and RMS of the summary follow every step and are right.",
     "Leave `output_step` out, so that rows follow the motion, write `rows = \"both\"`, or ask for a smaller "
     "`output_step`."},
    {"numeric.driver-kink", "A velocity that jumps within a step",
     "The velocity of a driver jumps: an impulse, which changes the velocities of other bodies too. "
     "Integrators that choose their step end one there and apply it; steps of given length go across, "
     "and the motion behind it is wrong.",
     "Use an integrator that chooses its step, or round the corner off: `step`, or a curve of type "
     "cubic-spline."},
    {"numeric.frozen-coefficients", "Linear equations that change with time",
     "The linearisation was made at a state that is neither an equilibrium nor a steady motion. Its matrices are "
     "exact there, but they change as the motion goes on: eigenvalues describe what happens in times in which "
     "they change little, and do not tell whether the motion is stable.",
     "For frequencies and stability begin at an equilibrium or a steady motion: run an analysis before that "
     "ends there, or give the pose and velocities."},
    {"numeric.unstable", "The motion exploded",
     "The energy grew far beyond what the forces and drivers put in: the steps are too large for the "
     "method, or the formulation left the motion.",
     "Use a smaller step, an integrator that chooses its steps, or another formulation."},
    {"numeric.held-forces", "Forces that are held or left out in an equilibrium",
     "An equilibrium has no time and no velocities. Forces that follow time are taken as they are at the time of the "
     "analysis, and friction, which has no direction at rest, is left out.",
     "Nothing needs to be done when this is what you mean; otherwise run a dynamic analysis until it has settled."},
    {"numeric.many-starts", "How many equilibria were found",
     "Equilibria were looked for from many poses of the mechanism. It is a search and no proof: there may be more.",
     "Nothing needs to be done. Draw the mechanism near to an equilibrium that is missing."},
    {"numeric.auto-choice", "A formulation and an integrator were chosen",
     "The analysis left formulation or integrator to the program. The choice follows from the size "
     "of the mechanism, its redundant constraints, its stiffness and the tolerance asked for.",
     "Nothing needs to be done. Name a formulation or an integrator to overrule the choice."},
    {"numeric.not-for-singular-poses", "The formulation may end in a singular pose",
     "A mechanism with loops may come to poses in which its constraints lose rank, as a parallelogram "
     "that lies flat. The formulation asked for does not put states onto the constraints there, so it "
     "may have to stop; it says so when it does.",
     "Nothing needs to be done where no such pose is met. Formulations such as projected and "
     "partitioned pass them."},
    {"numeric.own-method", "The integrator is not used",
     "The formulation (half-explicit, rattle) is an integration method itself and takes no other.",
     "Nothing needs to be done. Leave `integrator` out, or choose another formulation."},
    {"numeric.comparison", "A comparison of methods without a firm reference",
     "Methods are measured against a reference that two independent methods must agree on at very "
     "fine tolerances. One of them failed, or they do not agree well enough for the accuracy asked "
     "for, as in chaotic motion over long times.",
     "Ask for a coarser --accuracy, a shorter --until, or a larger --budget."},
    {"numeric.error-estimate", "An error estimate that is not whole",
     "The error of a run is estimated by a second run with a smaller step or tolerance. That run "
     "ended before the first, so the samples after its end have no estimate. The first run itself "
     "is not affected.",
     "The message has the reason: often the tolerance of the second run, a hundredth of the first, is finer "
     "than round-off allows. Relax rtol and atol."},
    {"numeric.drift", "Constraints are no longer satisfied",
     "Joints have come apart by more than the bound; what follows would be the motion of another mechanism.",
     "Use a formulation that keeps the constraints (projected, partitioned), or a smaller step."},

    {"io.open", "A file cannot be read",
     "The file does not exist, is a folder, or may not be read.",
     "Check the path and the permissions; relative paths start at the current folder on the "
     "command line, and at the model's folder in a model."},
    {"io.write", "Results cannot be written",
     "The disk is full, the folder does not exist or may not be written to. What was stored "
     "before is kept.",
     "Free some space or choose another folder with -o; then 'cardan resume RUN' continues from "
     "what was stored."},
    {"io.exists", "The output exists already",
     "The folder given with -o already holds a run. Runs are never overwritten silently.",
     "Choose another folder, leave -o out (every run then gets a new number), or add --force."},
    {"io.not-a-run", "This is not a run",
     "The folder or file given holds no run store, so there is nothing to resume, export or plot.",
     "Give the run folder that 'cardan run' named, or its run.db."},

    {"corrupt.store", "The run store is damaged",
     "The database of the run is not readable or its parts contradict each other: it was "
     "truncated, edited, or written by another program.",
     "Restore it from a copy, or run the model again. If a run of this program on an intact disk "
     "got damaged, please report it."},

    {"defect.internal", "A defect of the program",
     "The program noticed that it contradicts itself. This is never the fault of the model.",
     "Please report it with the model file and the message."},

    {"interrupted.signal", "Interrupted",
     "The analysis was stopped by the user. Everything up to the last accepted step is stored.",
     "Continue with 'cardan resume RUN'."},
};
// clang-format on

}  // namespace

std::span<const CatalogueEntry> entries_of_runs() {
  return run_entries;
}

}  // namespace cardan
