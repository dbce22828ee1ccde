// Diagnostics about what the user wrote (usage, syntax, model, limit), one row an id. A new id gets
// its row here.
#include "cardan/base/catalogue_groups.h"

namespace cardan {
namespace {

// clang-format off
constexpr CatalogueEntry model_entries[] = {
    {"model.not-editable", "A block of the model that the program cannot change",
     "'cardan compare --write' changes single lines of an [[analysis]] block and leaves everything "
     "else as it is. This block is written otherwise, or in a file that the model includes.",
     "Write the block as [[analysis]] with one key a line, or put the lines named into it by hand."},
    {"usage.unused-option", "Options that this run does not use",
     "The command line chose another formulation than the model file. What the file says for its own "
     "formulation has no meaning for the new one and is left out.",
     "Nothing needs to be done."},
    {"usage.bad-option", "An option that the command does not have",
     "The command line holds an option, a value or an argument that this command does not "
     "understand, or lacks one that it needs.",
     "Run the command with --help: it lists the options with their values. Names of formulations "
     "and integrators are those of docs/user-guide/methods.md."},
    {"usage.unknown-parameter", "A parameter that the model does not have",
     "--set names a parameter that [parameters] of the model does not define.",
     "Correct the spelling (the nearest name is given), or add the parameter to the model."},

    {"syntax.toml", "The file is not valid TOML",
     "The model file could not be read as TOML: a bracket, quotation mark or equals sign is "
     "missing, a key stands twice, or a value is of no known form. All such faults of the "
     "file are shown; what the model says is looked at when they are mended.",
     "Look at the line shown and the one before it. Text and formulas stand between quotation "
     "marks; lists between square brackets with commas; every [[body]] starts a new body."},
    {"syntax.duplicate-key", "A key that stands twice",
     "The same key or table is written twice, so that one of the two values would be lost.",
     "Remove one of them. A list of bodies, joints and so on has double brackets: [[body]]."},
    {"syntax.encoding", "The file is not UTF-8 text",
     "The file contains bytes that are not valid UTF-8, so it is not text, or text in another "
     "encoding.",
     "Save the file as UTF-8. If it is a run folder or a database, give it to the command that "
     "reads runs."},
    {"syntax.expression", "A formula cannot be understood",
     "A formula breaks off, or holds something that cannot stand there. The column points at the "
     "first character that does not fit.",
     "Products need a sign: 2*crank, not 2 crank. Powers are x^2. Functions take their arguments "
     "in round brackets, separated by commas. A unit follows its number directly: 35 mm."},

    {"model.unknown-key", "A key that does not exist here",
     "The model file sets something that this element does not have. Such a key would have no "
     "effect, and a misspelt one would silently leave a default in place; therefore it is "
     "refused.",
     "Correct the spelling (the nearest known key is named), or remove the line. Keys of another "
     "type of element do not carry over."},
    {"model.missing-key", "A value is missing that has no default",
     "The element cannot be made without this value, and there is no sensible one to assume.",
     "Add the key. docs/user-guide/model-file.md lists for each type which keys must be given."},
    {"model.wrong-type", "A value of the wrong kind",
     "A number was expected where text stands, a list where a number stands, or the like.",
     "Write what is named as expected. Numbers with units and formulas are text between "
     "quotation marks; vectors are lists."},
    {"model.wrong-unit", "Units that do not fit",
     "The dimension of a quantity is not the one needed here, or a formula adds or compares "
     "quantities of different dimensions. The message gives both.",
     "Check the unit and the brackets of the formula: a unit binds tighter than any operator, so "
     "that 1/2 m is 1/(2 m). Bare numbers are SI units and radians and fit everywhere."},
    {"model.vector-length", "A list of the wrong length",
     "A point, direction or table has too many or too few numbers: two in planar models, three "
     "in spatial ones.",
     "Give as many numbers as expected, or change 'space' at the top of the file."},
    {"model.unknown-name", "A name that nothing has",
     "A body, joint, marker, parameter, curve or variable is referred to by a name that the "
     "model does not define, or that cannot be used in this formula.",
     "Correct the spelling (the nearest known name is given), or define it. Names are "
     "case-sensitive."},
    {"model.duplicate-name", "Two things of one name",
     "Two elements of the same kind share a name, so that references to it and channels of the "
     "results would be ambiguous.",
     "Rename one of them. Within [[repeat]] use the index in the name, as in link{i}."},
    {"model.not-finite", "A number that is infinite or not a number",
     "A value is infinite or not a number, or a formula of constants has such a value: a "
     "division by zero, a root or logarithm of a negative number, a number too large for double "
     "precision.",
     "Look at the place shown and at the parameters it uses. A quantity that shall be unlimited "
     "is left out rather than set to infinity."},
    {"model.negative-mass", "A mass or inertia below zero",
     "A mass, a moment of inertia or a density is negative.",
     "Give a positive value; a body without mass is written massless = true. Check the sign and the "
     "unit."},
    {"model.zero-inertia", "A body that can turn but has no inertia",
     "A body without a moment of inertia is free to rotate in some direction, so that its "
     "angular acceleration is not determined.",
     "Give the body an inertia or a shape with a density, or join it so that its rotation "
     "follows from bodies that have mass."},
    {"model.backward-impact", "Hard stops or contacts backwards in time",
     "An impact loses energy and forgets how fast the bodies came; it cannot be undone.",
     "Run forwards, or give the stops and contacts a `stiffness`."},
    {"model.driver-jump", "A driver that jumps",
     "A driver prescribes a position that jumps at some time. No motion of finite velocity does "
     "this, and no force could cause it.",
     "Let the position run from one value to the other within a short time: `step`, `step5`, or a "
     "curve of type cycloidal."},
    {"model.bad-inertia", "An inertia tensor no body can have",
     "The tensor is not symmetric, or one of its principal moments is larger than the sum of the "
     "other two.",
     "Check the numbers, the signs of the off-diagonal entries (J_xy = -sum of m x y) and the "
     "point and axes the tensor refers to."},
    {"model.bad-mesh", "A mesh that is no closed surface",
     "The file of a mesh cannot be read, or its triangles leave gaps, meet more than two at an "
     "edge, or enclose no volume.",
     "Export the part again as one closed surface; the triangles' corners run anticlockwise seen "
     "from outside."},
    {"model.zero-axis", "A direction of length zero",
     "An axis or direction is the zero vector, or two points that define a direction coincide.",
     "Give two different points, or a vector that is not zero; its length does not matter."},
    {"model.self-joint", "An element between a body and itself",
     "Both ends of a joint, driver or force are on the same body, or both on the ground.",
     "Check the names in 'between'."},
    {"model.empty", "Nothing to simulate",
     "The model has no bodies, so there is nothing that could move.",
     "Add at least one [[body]]. 'cardan new NAME' writes a small model to start from."},
    {"model.parameter-cycle", "Parameters that define each other",
     "A parameter depends, directly or through others, on itself. The message shows the circle.",
     "Give one of them a value that does not use the others."},
    {"model.include-cycle", "Files that include each other",
     "A file includes itself, directly or through others.",
     "Remove one of the includes; put what both files need into a third one."},
    {"model.path-outside", "A path that leaves the model's folder",
     "A file named in the model lies outside the folder of the model, or its path is absolute. "
     "Models read only files beside or below them, so that a model from elsewhere cannot read "
     "yours.",
     "Copy the file into the model's folder and use a relative path without '..'."},
    {"model.bad-value", "A value that makes no sense here",
     "The value has the right kind and unit, but not a value this element can work with: a "
     "length below zero, a table that does not ascend, a step over no interval.",
     "The message says what is allowed."},
    {"model.bad-name", "A name that cannot be used",
     "A parameter, curve or index has a name that a formula could not contain, or that has a "
     "meaning of its own there.",
     "Names in formulas are letters, digits and underscores, starting with a letter."},
    {"model.bad-table", "A table that is no table",
     "The points of a curve, or the file they are in, do not form a table: a column is missing, "
     "a cell is no number, x does not ascend, or there are too few points.",
     "Correct the place named. Tables have one point a row, with x ascending; CSV files use "
     "commas and points as decimal signs."},
    {"model.conflicting-keys", "Two keys that exclude each other",
     "Two settings say the same thing in different ways, or one makes the other meaningless.",
     "Keep one of the two."},
    {"model.zero-length", "A bar without length",
     "The two end points of a bar are the same, so that it has no direction.",
     "Give two different points, or use 'at' for a body that is not a bar."},
    {"model.zero-mass", "A mass of zero",
     "A mass of zero is nearly always a slip, so it has to be said in words.",
     "Write massless = true for a body without mass."},
    {"model.zero-distance", "A distance of zero",
     "The two points of a distance constraint coincide, where its direction is not defined.",
     "Two points that stay together are a revolute joint; otherwise give the distance or other "
     "points."},
    {"model.gear-radii", "Radii of a gear that do not fit",
     "The radii, the ratio and the centre distance of a gear pair contradict each other, or are "
     "not enough to know them all.",
     "Give both radii, or the ratio alone: the radii then follow from the distance of the "
     "centres."},
    {"model.gear-centres", "Gears in the same place",
     "The centres of the two wheels coincide, so that they cannot mesh side by side.",
     "Give the centres of the wheels with 'points', or the right positions of the bodies."},
    {"model.missing-radius", "A radius is missing",
     "A rolling body or pinion needs a radius greater than zero.",
     "Add radius = ... to the joint."},
    {"model.curve-not-convex", "A cam that is not convex",
     "A flat face or a second cam touches a cam's curve from outside; this needs a closed curve "
     "without hollows.",
     "Change the curve, or let a point run on it (point-on-curve), which any curve allows."},
    {"model.no-gravity", "No gravity given",
     "The model has bodies with mass, but says nothing about gravity; none acts.",
     "Write gravity = [0, \"-9.81 m/s^2\"], or gravity = [0, 0] to say that there is none."},
    {"model.unknown-type", "A type that does not exist",
     "The 'type' of a joint, driver, force, curve or analysis is not one of those the program "
     "has.",
     "Use the type named as nearest, or one of the list in docs/user-guide/model-file.md."},
    {"model.unknown-option", "An option of the analysis that does not exist",
     "A formulation, integrator or other named option is not known, or the combination makes no "
     "sense: not every integrator serves every formulation.",
     "Use one of those listed in the message, or leave the option out: 'auto' chooses."},
    {"model.ambiguous-unit", "A word that is a unit and a name",
     "In a quantity such as 2 N*m the symbol after the operator is a unit, but the model also "
     "has something of that name. Both readings are possible and would give different results.",
     "For the name, put the quantity into brackets: (2 N)*m. For the unit, write 2 N*(1 m). Or "
     "rename the parameter, for instance to mass."},
    {"model.ambiguous-name", "A word that is a variable of the formula and a name",
     "A formula uses a name that is one of its own variables (t, the length, angle or rate of a "
     "spring) while a parameter or request of the model has the same name.",
     "Rename the parameter or request."},
    {"model.overdetermined-initial", "Initial conditions that contradict the mechanism",
     "More initial conditions are given than the mechanism has degrees of freedom, and they do "
     "not fit together or with the joints and drivers.",
     "Remove one of the conditions named. What a driver prescribes must not be given as an "
     "initial condition too."},
    {"model.singular-mass", "Motion without mass",
     "Some motion that the joints allow moves no mass and turns no inertia, so that its "
     "acceleration is not determined by any force.",
     "Give the bodies named mass or inertia, or hold the motion by a joint or driver."},
    {"model.overdriven", "More drivers than degrees of freedom",
     "The drivers prescribe more motions than the mechanism has degrees of freedom, or prescribe "
     "the same motion twice.",
     "Remove one of the drivers named."},
    {"model.underdriven", "Drivers leave motions free",
     "Kinematic and inverse analysis need as many independent drivers as there are degrees of "
     "freedom; some motion is not prescribed.",
     "Add drivers for the motions named, or run a dynamic analysis, which lets the forces decide."},
    {"model.no-potential", "Forces without a potential",
     "The work of these forces depends on the way: a force that turns with its body, or one whose formula reads other "
     "motions. Then there is no energy that could be least in an equilibrium, and the second derivatives do not tell "
     "whether it is stable.",
     "Nothing needs to be done with method = \"auto\": Newton's method or settling finds the equilibrium, and the "
     "eigenvalues of the motion around it tell whether it is stable."},
    {"model.not-available", "Not available in this version",
     "The model asks for something that the program knows by name but cannot do, in this "
     "combination or at all.",
     "Where something else can be used, the message says so behind `expected` or `try`."},
    {"model.unlikely", "A value that is probably a slip",
     "The value is legal, but rarely intended: an angle of many turns without a unit, a frequency in Hz where an "
     "angular velocity is needed, a negative length, a joint far outside the bar that it joins.",
     "This is a question; the run goes on. Write the unit, or correct the value."},

    {"limit.file-size", "The file is too large",
     "The file is larger than a model file may be.",
     "Move large tables into CSV files, and repeated elements into [[repeat]]."},
    {"limit.nesting", "Nested too deeply",
     "Lists or tables in the file are nested deeper than any model needs.",
     "Check for brackets that are not closed."},
    {"limit.key-parts", "A key of too many parts",
     "A dotted key has more parts than any model needs.",
     "Check the line for stray dots."},
    {"limit.elements", "Too many elements",
     "The model has more bodies or elements than the program accepts, often because the count of "
     "a [[repeat]] is wrong.",
     "Check the counts of [[repeat]]."},
    {"limit.expression", "A formula is too large",
     "A formula is nested deeper or is longer than the program accepts.",
     "Split it with parameters or requests; put tables into a [[curve]]."},
    {"limit.formula-inputs", "A formula that reads too many requests",
     "A force's formula names more requests than it may.",
     "Combine some of them into one request with a formula of its own."},
    {"limit.files", "Too many files",
     "The model includes more files than the program accepts.",
     "Check the includes for repetition."},
    {"limit.faults", "More faults than are listed",
     "The model has so many faults that the rest of them is not listed.",
     "Mend the ones listed, then check again."},
    {"limit.steps", "The step budget is used up",
     "The analysis took as many steps as it was allowed (max_steps) before reaching its end. "
     "Results up to here are kept.",
     "Raise max_steps and resume, loosen the tolerance, or look for a stiff element that forces "
     "tiny steps and choose an implicit method."},
};
// clang-format on

}  // namespace

std::span<const CatalogueEntry> entries_of_models() {
  return model_entries;
}

}  // namespace cardan
