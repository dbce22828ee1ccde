#pragma once

// The model that `cardan new` writes.

namespace cardan::app {

inline constexpr const char* starter_model =
    R"(# A slider-crank: a crank turns in the ground, a rod joins it to a piston, the piston slides along x.
# Numbers are SI units and radians; a text carries its own unit: "35 mm", "30 deg", "1200 rpm".
# A text may also be a formula of the parameters: "crank + rod".

title   = "@NAME@"
space   = "planar"
gravity = [0, "-9.81 m/s^2"]

# Change one for a single run with:  cardan run @FOLDER@ --set speed="600 rpm"
[parameters]
crank = "80 mm"
rod   = "200 mm"
speed = "300 rpm"

# Bodies stand where they are in the drawing. A bar between two points has its frame, length and inertia from them.
[[body]]
name = "crank"
from = [0, 0]
to   = ["crank", 0]
mass = "0.4 kg"

[[body]]
name = "rod"
from = ["crank", 0]
to   = ["crank + rod", 0]
mass = "0.9 kg"

[[body]]
name  = "piston"
at    = ["crank + rod", 0]
mass  = "1.2 kg"
shape = { box = ["60 mm", "40 mm"] }

# Joints are given by the bodies they join and a point or an axis in the same drawing.
[[joint]]
type    = "revolute"
name    = "main bearing"
between = ["ground", "crank"]
at      = [0, 0]

[[joint]]
type    = "revolute"
name    = "crank pin"
between = ["crank", "rod"]
at      = ["crank", 0]

[[joint]]
type    = "revolute"
name    = "wrist pin"
between = ["rod", "piston"]
at      = ["crank + rod", 0]

[[joint]]
type    = "translational"
name    = "cylinder"
between = ["ground", "piston"]
axis    = [1, 0]

# How it starts: anything measurable may be given, here the speed of the crank.
[[initial]]
joint = "main bearing"
rate  = "speed"

# What to do. Several analyses run in order, each from the state the last one left.
[[analysis]]
type  = "dynamic"
until = "1 s"
)";

}  // namespace cardan::app
