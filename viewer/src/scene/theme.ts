// Colours of drawing and plots. Curves and bodies share one palette, so that "crank" is blue everywhere.

import { Color } from "three";

export interface Theme {
  dark: boolean;
  paper: string;
  ink: string; // outlines
  faint: string; // hatch, guides, grid
  grid: string;
  accent: string;
  force: string;
  palette: string[];
}

const light: Theme = {
  dark: false, paper: "#fbfcfe", ink: "#1d2633", faint: "#8a94a3", grid: "#e4e8ef", accent: "#2563c9", force: "#c72f55",
  palette: ["#2563c9", "#d4582a", "#1f9d76", "#a13fb5", "#c99a06", "#0ea5c6", "#c72f55", "#5b6472"],
};

const dark: Theme = {
  dark: true, paper: "#12161d", ink: "#e6ebf3", faint: "#71809a", grid: "#252c38", accent: "#6ea8ff", force: "#ff6f8f",
  palette: ["#6ea8ff", "#ff9166", "#4fd1a5", "#d58bea", "#e6c14a", "#4fd0ec", "#ff7896", "#a3adbd"],
};

export const theme_of = (is_dark: boolean): Theme => (is_dark ? dark : light);

// Colour a shifted towards b by `part`.
export function mix(a: string, b: string, part: number): string {
  const channel = (text: string, k: number) => parseInt(text.slice(1 + 2 * k, 3 + 2 * k), 16);
  const one = (k: number) => Math.round(channel(a, k) * (1 - part) + channel(b, k) * part).toString(16).padStart(2, "0");
  return `#${one(0)}${one(1)}${one(2)}`;
}

// A colour that a model file gives, when it is one this program understands; else the other.
export function colour_or(given: string, other: string): string {
  if (/^#[0-9a-fA-F]{6}$/.test(given)) return given;
  const named = (Color.NAMES as Record<string, number>)[given.toLowerCase()];
  return named === undefined ? other : `#${named.toString(16).padStart(6, "0")}`;
}
