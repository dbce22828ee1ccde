import { describe, expect, it } from "vitest";

import { drawn_size, leading_body, type Mode, mode_pose } from "../../src/data/modes.ts";
import { posed_run } from "../../src/data/posed.ts";
import { Run } from "../../src/data/run.ts";
import { inflate } from "../../src/data/pack.ts";
import { modes } from "../fixtures/analyses.ts";

const run = async () => {
  const { doc, columns } = await modes();
  return new Run(doc, await inflate(columns));
};

const spin = (axis: number): Mode => ({ eigenvalue: [0, 2], omega: 2, frequency: 1 / Math.PI, damping_ratio: 0, shape: { top: [[0, 0], [0, 0], [0, 0], ...[0, 1, 2].map((k): [number, number] => [k === axis ? 1 : 0, 0])] } });

describe("mode shapes", () => {
  it("shift and turn planar bodies, a quarter of a period later by their imaginary part", () => {
    const mode: Mode = { eigenvalue: [0, 1], omega: 1, frequency: 0.16, damping_ratio: 0, shape: { bar: [[1, 0], [0, -1], [0.5, 0]] } };
    const from = new Map([["bar", [1, 2, 0.3]]]);
    expect(mode_pose(mode, from, 0.1, 0).get("bar")).toEqual([1.1, 2, 0.35]);
    const later = mode_pose(mode, from, 0.1, Math.PI / 2).get("bar")!;
    [1, 2.1, 0.3].forEach((x, k) => expect(later[k]).toBeCloseTo(x, 14));
  });

  it("turn spatial bodies about axes of the ground", () => {
    const quarter = Math.SQRT1_2; // the body already stands a quarter turn about z
    const turned = mode_pose(spin(0), new Map([["top", [0, 0, 0, quarter, 0, 0, quarter]]]), 0.2, 0).get("top")!;
    const [w, x, y, z] = turned.slice(3);
    expect(Math.hypot(w, x, y, z)).toBeCloseTo(1, 14);
    // Its own x axis points along the ground's y; turning about the ground's x moves that towards z.
    const along_z = 2 * (x * z - w * y);
    expect(along_z).toBeCloseTo(Math.sin(0.2), 12);
  });

  it("are drawn a tenth of the mechanism large, and named after what moves most", async () => {
    const r = await run(), scene = r.doc.scene!;
    const [mode] = r.doc.summary.modes as Mode[];
    expect(leading_body(mode, scene)).toBe("lower");
    const larger: Mode = { ...mode, shape: Object.fromEntries(Object.entries(mode.shape).map(([b, s]) => [b, s.map(([re, im]): [number, number] => [10 * re, 10 * im])])) };
    expect(drawn_size(larger, scene, 2)).toBeCloseTo(drawn_size(mode, scene, 2) / 10, 12);
  });
});

describe("a run made of poses", () => {
  it("has a row for each, and keeps bodies that a pose does not name", async () => {
    const r = await run();
    const made = posed_run(r, [new Map([["upper", [1, 2, 3]]]), new Map()]);
    expect([...made.time]).toEqual([0, 1]);
    expect([...made.common(made.find("upper.angle")!)]).toEqual([3, -Math.PI / 2]);
    expect(made.common(made.find("lower.x")!)[0]).toBe(r.common(r.find("lower.x")!)[0]);
  });
});
