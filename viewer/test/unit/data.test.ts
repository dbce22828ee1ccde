import { describe, expect, it } from "vitest";

import { derivative, difference, spectrum } from "../../src/data/derive.ts";
import { type DiagnosticInfo, reason_of } from "../../src/data/format.ts";
import { format_number } from "../../src/data/number.ts";
import { inflate, shuffle, unshuffle } from "../../src/data/pack.ts";
import { index_at, Run } from "../../src/data/run.ts";
import { common_rows, thin } from "../../src/data/thin.ts";
import { pretty, rate_unit, shown } from "../../src/data/units.ts";
import { even } from "../fixtures/builder.ts";
import { long_run, slider_crank } from "../fixtures/all.ts";

const odd = [0, -0, 1, -1, Math.PI, 1e-308, 5e-324, 1e308, Infinity, -Infinity, 0.1 + 0.2, 123456789.123456789];

describe("packing", () => {
  it("keeps every bit", () => {
    const values = Float64Array.from([...odd, ...Array.from({ length: 500 }, (_, i) => Math.sin(i) * 10 ** ((i % 40) - 20))]);
    const bytes = new Uint8Array(8 * values.length);
    shuffle(values, bytes, 0);
    expect(Array.from(unshuffle(bytes, 0, values.length), (v) => (Object.is(v, -0) ? "-0" : v))).toEqual(Array.from(values, (v) => (Object.is(v, -0) ? "-0" : v)));
  });

  it("keeps NaN", () => {
    const bytes = new Uint8Array(16);
    shuffle(Float64Array.from([NaN, 2]), bytes, 0);
    expect(unshuffle(bytes, 0, 2)[0]).toBeNaN();
  });

  it("gives back a run's channels exactly", async () => {
    const builder = slider_crank(101);
    const { doc, columns } = await builder.pack();
    const run = new Run(doc, await inflate(columns));
    builder.channels.forEach((c, k) => expect(run.series(run.find(c.name)!).v).toEqual(builder.values[k]));
    expect(run.time).toEqual(builder.time);
  });

  it("refuses columns of the wrong length", async () => {
    const { doc, columns } = await slider_crank(11).pack();
    const bytes = await inflate(columns);
    expect(() => new Run(doc, bytes.slice(8))).toThrow(/bytes/);
  });
});

describe("thinning", () => {
  it("keeps the smallest and largest of every interval, with exact values and times", () => {
    const time = even(1, 1000);
    const values = Float64Array.from(time, (t) => Math.sin(91 * t) + 1e-3 * Math.cos(5000 * t));
    const rows = common_rows(1000, 40);
    const { at, t, v } = thin(time, values, rows);
    for (let g = 0; g + 1 < rows.length; g++) {
      const part = values.slice(rows[g], rows[g + 1] + 1);
      const kept = [at[g], at[g + 1], v[2 * g], v[2 * g + 1]].filter((x) => !Number.isNaN(x));
      expect(Math.max(...kept)).toBe(Math.max(...part));
      expect(Math.min(...kept)).toBe(Math.min(...part));
    }
    t.forEach((when, k) => {
      if (!Number.isNaN(when)) expect(values[time.indexOf(when)]).toBe(v[k]);
    });
  });

  it("never loses a spike of one sample in 100,000", async () => {
    const { doc, columns } = await long_run();
    const run = new Run(doc, await inflate(columns));
    const { t, v } = run.series(run.find("spike.force")!);
    const k = v.indexOf(123.456789);
    expect(k).toBeGreaterThan(0);
    expect(t[k]).toBe(even(100, 100_000)[43_217]);
    for (let i = 1; i < t.length; i++) expect(t[i]).toBeGreaterThan(t[i - 1]);
  });
});

describe("live rows", () => {
  it("are appended to time and channels", async () => {
    const { doc, columns } = await slider_crank(5).pack();
    const run = new Run(doc, await inflate(columns));
    const row = new Float64Array(1 + run.channels.length).map((_, k) => k + 2);
    run.append(row);
    expect(run.end).toBe(2);
    expect(run.series(run.channels[3]).v[5]).toBe(6);
  });
});

const largest_line = (v: Float64Array) => v.reduce((best, a, k) => (k > 2 && a > v[best] ? k : best), 3);

describe("derived series", () => {
  const t = even(2, 401).map((x) => x + 0.001 * Math.sin(9 * x));

  it("differentiates parabolas exactly on uneven times", () => {
    const { v } = derivative({ t, v: t.map((x) => 3 * x * x - x) });
    v.forEach((slope, i) => expect(slope).toBeCloseTo(6 * t[i] - 1, 6));
  });

  it("shows a sine's amplitude at its frequency", () => {
    const time = even(4, 4097);
    const { t: f, v: a } = spectrum({ t: time, v: time.map((x) => 5 + 2.5 * Math.sin(2 * Math.PI * 16 * x)) });
    const peak = a.indexOf(Math.max(...a.slice(1)));
    expect(f[peak]).toBeCloseTo(16, 1);
    expect(a[peak]).toBeCloseTo(2.5, 2);
    expect(a[0]).toBeCloseTo(5, 2);
  });

  it("shows a sine's amplitude at any frequency, also between two lines", () => {
    for (let k = 0; k < 60; k++) {
      const n = 201 + 7 * k, f = (5.13 + 0.417 * k * 3) / n;
      const time = Float64Array.from({ length: n }, (_, i) => i);
      const { t, v } = spectrum({ t: time, v: time.map((x) => 1 + 0.01 * x + Math.sin(2 * Math.PI * f * x + k)) });
      const peak = largest_line(v);
      expect(t[peak] * n).toBeCloseTo(f * n, 1);
      expect(Math.abs(v[peak] - 1)).toBeLessThan(0.01);
      expect(t[t.length - 1]).toBeCloseTo(0.5, 9); // half the rate of the rows
    }
  });

  it("has no false lines beyond what rows carry", () => {
    const time = even(5, 201); // 40 rows a second
    const { t, v } = spectrum({ t: time, v: time.map((x) => Math.sin(2 * Math.PI * 16 * x)) });
    expect(t[t.length - 1]).toBeCloseTo(20, 6);
    v.forEach((a, k) => {
      if (Math.abs(t[k] - 16) > 1) expect(a).toBeLessThan(0.02);
    });
  });

  it("resamples uneven rows by cubics", () => {
    const time = even(5, 3001).map((x) => x + 0.0006 * Math.sin(40 * x));
    const { t, v } = spectrum({ t: time, v: time.map((x) => 0.06 * Math.cos(2 * Math.PI * 25.07 * x)) });
    const peak = largest_line(v);
    expect(t[peak]).toBeCloseTo(25.07, 1);
    expect(Math.abs(v[peak] / 0.06 - 1)).toBeLessThan(0.01);
  });

  it("keeps the two sides of an event apart", () => {
    const { v } = derivative({ t: Float64Array.of(0, 1, 1, 2), v: Float64Array.of(0, 1, 5, 7) });
    expect(Array.from(v.slice(1, 3))).toEqual([1, 2]);
  });

  it("subtracts runs at the first run's times and says nothing outside", () => {
    const d = difference({ t: even(2, 5), v: even(2, 5) }, { t: even(1, 3), v: even(1, 3).map((x) => 3 * x) });
    expect(Array.from(d.v.slice(0, 3))).toEqual([0, 1, 2]);
    expect(d.v[4]).toBeNaN();
  });
});

describe("numbers and units", () => {
  it("shows digits of the value itself", () => {
    expect(format_number(0.254433)).toBe("0.254433");
    expect(format_number(-1234.5678)).toBe("−1234.57");
    expect(format_number(1.5e-9)).toBe("1.5e−9");
    expect(format_number(NaN)).toBe("–");
    expect(format_number(100)).toBe("100");
    expect(format_number(1e6)).toBe("1e6");
  });

  it("converts to preferred units", () => {
    expect(shown("rad/s", { "rad/s": "rpm" }).factor).toBeCloseTo(9.549296585513721, 12);
    expect(shown("rad", { rad: "deg" }).factor).toBeCloseTo(180 / Math.PI, 14);
    expect(shown("kg", { m: "mm" })).toEqual({ unit: "kg", factor: 1 });
  });

  it("names the unit of a rate", () => {
    expect(["m", "m/s", "rad/s^2", "", "N"].map(rate_unit)).toEqual(["m/s", "m/s^2", "rad/s^3", "1/s", "N/s"]);
    expect(pretty("m/s^2")).toBe("m/s²");
  });

  it("finds rows by time", () => {
    const times = Float64Array.from([0, 1, 2]);
    expect([-1, 0, 0.5, 1, 1.99, 7].map((t) => index_at(times, t))).toEqual([0, 0, 0, 1, 1, 2]);
  });
});

describe("the reason of a run's status", () => {
  const told = (id: string, severity: DiagnosticInfo["severity"]): DiagnosticInfo => ({ id, severity, element: "", found: id, expected: "", hint: "", line: 0, t: null, h: null, worst: [] });
  const diagnostics = [told("assembly.redundant", "note"), told("numeric.doubtful", "warning"), told("numeric.singular", "error")];

  it("is the error of a failed run and the doubt of a doubtful one", async () => {
    const { doc } = await slider_crank(11).pack(Infinity, { diagnostics });
    expect(reason_of({ ...doc, status: "failed" })?.id).toBe("numeric.singular");
    expect(reason_of({ ...doc, status: "doubtful" })?.id).toBe("numeric.doubtful");
    expect(reason_of({ ...doc, status: "completed", diagnostics: diagnostics.slice(0, 2) })).toBeUndefined();
  });
});
