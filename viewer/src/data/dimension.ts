// Units of channels as powers of m, kg, s and rad, so that formulas have units too. An angle counts as a number where it must.

export type Dimension = number[]; // of m, kg, s, rad

const bases: Record<string, Dimension> = {
  "": [0, 0, 0, 0], m: [1, 0, 0, 0], kg: [0, 1, 0, 0], s: [0, 0, 1, 0], rad: [0, 0, 0, 1], N: [1, 1, -2, 0], J: [2, 1, -2, 0], W: [2, 1, -3, 0], Pa: [-1, 1, -2, 0], Hz: [0, 0, -1, 0], "1": [0, 0, 0, 0],
};

// "m/s^2", "N m", "kg*m^2"; null: a unit that is not known.
export function dimension_of(unit: string): Dimension | null {
  const out = [0, 0, 0, 0];
  const [over, ...under] = unit.split("/");
  for (const [part, sign] of [[over, 1], ...under.map((u) => [u, -1])] as [string, number][])
    for (const factor of part.replace(/[()]/g, "").split(/[ *·]/)) {
      const [name, power] = factor.split("^");
      const base = bases[name];
      if (base === undefined) return null;
      base.forEach((e, k) => (out[k] += sign * e * Number(power ?? 1)));
    }
  return out;
}

const named: [string, string][] = ["", "m", "rad", "m/s", "rad/s", "m/s^2", "rad/s^2", "N", "N m", "W", "kg", "s", "Hz", "N/m", "N s", "Pa", "kg m^2"].map((u) => [u, key(dimension_of(u)!)]);

function key(d: Dimension): string {
  return d.join(" ");
}

export function unit_named(d: Dimension): string {
  const without = [d[0], d[1], d[2], 0]; // N m rad/s is a power
  const found = named.find(([, k]) => k === key(d)) ?? named.find(([, k]) => k === key(without));
  if (found) return found[0];
  const names = ["m", "kg", "s", "rad"];
  return d.map((e, k) => (e === 0 ? "" : e === 1 ? names[k] : `${names[k]}^${e}`)).filter((x) => x !== "").join("*");
}
