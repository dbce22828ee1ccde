// Units that a reader may prefer to SI. Values stay SI in the data; only what is shown is converted.

export interface Family {
  si: string;
  label: string;
  units: { name: string; per_si: number }[]; // shown = SI value * per_si
}

const degree = 180 / Math.PI;
const turn = 1 / (2 * Math.PI);
const inch = 1 / 0.0254;

export const families: Family[] = [
  { si: "m", label: "Length", units: [{ name: "m", per_si: 1 }, { name: "mm", per_si: 1e3 }, { name: "cm", per_si: 1e2 }, { name: "in", per_si: inch }] },
  { si: "rad", label: "Angle", units: [{ name: "rad", per_si: 1 }, { name: "deg", per_si: degree }, { name: "rev", per_si: turn }] },
  { si: "m/s", label: "Speed", units: [{ name: "m/s", per_si: 1 }, { name: "mm/s", per_si: 1e3 }, { name: "km/h", per_si: 3.6 }] },
  { si: "rad/s", label: "Angular speed", units: [{ name: "rad/s", per_si: 1 }, { name: "deg/s", per_si: degree }, { name: "rpm", per_si: 60 * turn }] },
  { si: "m/s^2", label: "Acceleration", units: [{ name: "m/s^2", per_si: 1 }, { name: "mm/s^2", per_si: 1e3 }, { name: "g", per_si: 1 / 9.80665 }] },
  { si: "rad/s^2", label: "Angular acceleration", units: [{ name: "rad/s^2", per_si: 1 }, { name: "deg/s^2", per_si: degree }] },
  { si: "N", label: "Force", units: [{ name: "N", per_si: 1 }, { name: "kN", per_si: 1e-3 }, { name: "lbf", per_si: 1 / 4.4482216152605 }] },
  { si: "N m", label: "Torque", units: [{ name: "N m", per_si: 1 }, { name: "kN m", per_si: 1e-3 }, { name: "N mm", per_si: 1e3 }] },
  { si: "J", label: "Energy", units: [{ name: "J", per_si: 1 }, { name: "mJ", per_si: 1e3 }, { name: "kJ", per_si: 1e-3 }] },
];

export type Preference = Record<string, string>; // SI unit -> preferred unit

export const presets: Record<string, Preference> = {
  SI: {},
  Workshop: { m: "mm", rad: "deg", "m/s": "mm/s", "rad/s": "rpm", "rad/s^2": "deg/s^2", "m/s^2": "m/s^2", "N m": "N m" },
};

export interface Shown {
  unit: string;
  factor: number;
}

const aliases: Record<string, string> = { "N*m": "N m", Nm: "N m", "N.m": "N m", "m/s2": "m/s^2", "rad/s2": "rad/s^2" };

export function shown(unit: string, preference: Preference): Shown {
  const si = aliases[unit] ?? unit;
  const wanted = preference[si];
  const found = families.find((f) => f.si === si)?.units.find((u) => u.name === wanted);
  return found ? { unit: found.name, factor: found.per_si } : { unit: si, factor: 1 };
}

// The unit of a rate: "m" -> "m/s", "m/s" -> "m/s^2".
export function rate_unit(unit: string): string {
  const u = aliases[unit] ?? unit;
  if (u === "") return "1/s";
  const power = /^(.*)\/s(?:\^(\d+))?$/.exec(u);
  if (power) return `${power[1]}/s^${Number(power[2] ?? 1) + 1}`;
  return u.includes("/") ? `(${u})/s` : `${u}/s`;
}

const superscripts: Record<string, string> = { "2": "²", "3": "³", "4": "⁴" };

// "m/s^2" as a person writes it.
export function pretty(unit: string): string {
  return unit.replace(/\^([234])/g, (_, d: string) => superscripts[d] ?? d).replace(/ (?=m)/, "·").replace(/\bdeg\b/, "°").replace(/^°$/, "°");
}
