// How joints, forces and contacts are drawn, as the program describes their types (cardan/element/element_type.h). The viewer
// knows these and no types; a test of the program compares both lists.
export type Drawing =
  | "none"
  | "pin"
  | "weld"
  | "slide"
  | "sleeve"
  | "slot"
  | "ball"
  | "cross"
  | "plate"
  | "rail"
  | "track"
  | "line"
  | "gear"
  | "rack"
  | "stand"
  | "wheel"
  | "globe"
  | "rod"
  | "ball-ball-link"
  | "pin-ball-link"
  | "pin-pin-link"
  | "pin-sleeve-link"
  | "spring"
  | "torsion-spring"
  | "bushing"
  | "arrow";

// Links without mass: a line between their points.
export const links: Drawing[] = ["rod", "ball-ball-link", "pin-ball-link", "pin-pin-link", "pin-sleeve-link"];
