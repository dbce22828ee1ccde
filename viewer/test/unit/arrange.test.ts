import { describe, expect, it } from "vitest";

import { dimension_of, unit_named } from "../../src/data/dimension.ts";
import { evaluate } from "../../src/data/formula.ts";
import { chain_of } from "../../src/data/join.ts";
import { range_statistics } from "../../src/data/statistics.ts";
import { checked, from_hash, to_hash } from "../../src/layout.ts";
import { place_labels } from "../../src/scene/label_places.ts";

const columns: Record<string, { unit: string; values: Float64Array }> = {
  "pin.fx": { unit: "N", values: Float64Array.from([3, 0, -6]) }, "pin.fy": { unit: "N", values: Float64Array.from([4, 2, 8]) },
  "main bearing.omega": { unit: "rad/s", values: Float64Array.from([1, 2, 3]) }, "motor.torque": { unit: "N m", values: Float64Array.from([10, 20, 30]) }, x: { unit: "m", values: Float64Array.from([1, 2, 4]) },
};
const names = (name: string) => columns[name];
const of = (text: string) => evaluate(text, 3, names);

describe("formulas of channels", () => {
  it.each<[string, number[], string]>([
    ["hypot(pin.fx, pin.fy)", [5, 2, 10], "N"], ["motor.torque*'main bearing.omega'", [10, 40, 90], "W"], ["-x^2 + 1*x*x", [0, 0, 0], "m^2"], ["2 - 3 - 4", [-5, -5, -5], ""], ["2^3^2", [512, 512, 512], ""],
    ["sqrt(pin.fx^2 + pin.fy^2)", [5, 2, 10], "N"], ["motor.torque/x", [10, 10, 7.5], "N"], ["max(pin.fx, pin.fy) - min(pin.fx, pin.fy)", [1, 2, 14], "N"], ["cos(pi)*1e3", [-1000, -1000, -1000], ""], ["-(x - 2*x)", [1, 2, 4], "m"],
  ])("%s", (text, values, unit) => {
    const made = of(text);
    made.values.forEach((v, k) => expect(v).toBeCloseTo(values[k], 12));
    expect(made.unit).toBe(unit);
  });

  it.each([["x + ", /expected/], ["x + pin.fx", /cannot be added/], ["nothing", /no channel/], ["hypot(x)", /2 to 3 arguments/], ["(x", /missing/], ["x $ 2", /means nothing/], ["main bearing.omega", /no channel|operator/]])("%s is refused with the reason", (text, reason) => {
    expect(() => of(text)).toThrow(reason);
  });

  it("have units of the field", () => {
    expect(unit_named(dimension_of("N m")!.map((e, k) => e + dimension_of("rad/s")![k]))).toBe("W");
    expect(dimension_of("furlong")).toBeNull();
  });
});

describe("numbers of a range", () => {
  it("are those of the straight line between the points", () => {
    const s = range_statistics([0, 1, 2], [0, 1, 0], 0.5, 2); // areas by hand
    expect([s.least, s.largest, s.first, s.last]).toEqual([0, 1, 0.5, 0]);
    expect(s.mean).toBeCloseTo((0.375 + 0.5) / 1.5, 12);
    expect(s.rms).toBeCloseTo(Math.sqrt(((1 - 0.125) / 3 + 1 / 3) / 1.5), 12);
  });

  it("of a sine over whole periods are 0 and 1/sqrt 2", () => {
    const x = Array.from({ length: 4001 }, (_, k) => k / 1000), y = x.map((t) => Math.sin(2 * Math.PI * t));
    const s = range_statistics(x, y, 0, 4);
    expect(s.mean).toBeCloseTo(0, 10);
    expect(s.rms).toBeCloseTo(Math.SQRT1_2, 5);
  });

  it("are none outside the line", () => expect(range_statistics([0, 1], [1, 2], 3, 4).least).toBeNaN());
});

describe("layouts", () => {
  const layout = { page: "Motion", plots: [{ mode: "time" as const, x: "", curves: [{ channel: "= 'a é'*2", rate: 1, right: true }], log: true, numbers: false, limits: { N: [1, 2] as [number, number] } }], cursors: [0.1, 0.2] as [number, number], follow: "crank", look: "top" as const, units: { m: "mm" }, t: 0.25 };
  it("come back from an address", () => expect(from_hash(to_hash(layout))).toEqual(layout));
  it("of another form are not taken", () => {
    expect(from_hash("#layout=%%%")).toBeNull();
    expect(from_hash("#other")).toBeNull();
    expect(checked({ plots: [{ mode: "film" }, null, { mode: "time", curves: [{ channel: 3 }] }], cursors: ["a", 1], look: "inside", t: Infinity })).toEqual({ plots: [{ mode: "time", x: "", curves: [], log: false, numbers: false, limits: {} }] });
  });
});

describe("names in the drawing", () => {
  it("never lie on each other", () => {
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const points = Array.from({ length: 60 }, () => ({ x: 400 * random(), y: 300 * random(), width: 40 + 60 * random(), height: 17 }));
    const placed = place_labels(points, { width: 400, height: 300 }).flatMap((p, k) => (p ? [{ ...p, width: points[k].width, height: 17 }] : []));
    expect(placed.length).toBeGreaterThan(10);
    for (const a of placed) for (const b of placed) expect(a === b || a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + 17 || b.y >= a.y + 17).toBe(true);
  });
});

describe("analyses one after the other", () => {
  it("are chained where time goes on", () => {
    expect(chain_of([{ begin: 0, end: 1, rows: 5 }, { begin: 1, end: 3, rows: 5 }, { begin: 3, end: 3, rows: 1 }, { begin: 0, end: 2, rows: 9 }])).toEqual([0, 1]);
  });
});
