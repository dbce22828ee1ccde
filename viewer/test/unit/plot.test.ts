import { beforeAll, describe, expect, it } from "vitest";

import { inflate } from "../../src/data/pack.ts";
import { Run } from "../../src/data/run.ts";
import { to_csv, to_svg } from "../../src/plot/export.ts";
import { match } from "../../src/plot/picker.ts";
import { alike, first_plots, plot_data, plot_title, type PlotSpec } from "../../src/plot/spec.ts";
import { calm_range, range_of, tick_text, ticks } from "../../src/plot/ticks.ts";
import { owners_of } from "../../src/pages/model.ts";
import { pace_words, sensible_speed } from "../../src/player.ts";
import { four_bar, slider_crank } from "../fixtures/all.ts";
import { Builder, even } from "../fixtures/builder.ts";

let crank: Run, bars: Run;

beforeAll(async () => {
  const load = async (b: ReturnType<typeof slider_crank>) => {
    const { doc, columns } = await b.pack();
    return new Run(doc, await inflate(columns));
  };
  crank = await load(slider_crank(101));
  bars = await load(four_bar(101));
});

// A body that goes up and down in space and turns by this many rad/s.
async function spinning(rate: number): Promise<Run> {
  const b = new Builder("piston", even(1, 51));
  b.scene.space = "spatial";
  b.spatial("piston", (t) => [0, 0, Math.sin(5 * t), 1, 0, 0, 0]);
  b.channel("piston.omega_x", "rad/s", "body piston", "velocity", (_, i) => rate * (i % 3));
  const { doc, columns } = await b.pack();
  return new Run(doc, await inflate(columns));
}

const over_time = (...names: string[]): PlotSpec => ({ mode: "time", x: "", curves: names.map((channel) => ({ channel, rate: 0 })) });

describe("what plots show", () => {
  it("is the stored value, in the unit asked for", () => {
    const plain = plot_data(over_time("crank.angle"), [crank], {});
    expect(Array.from(plain.lines[0].y)).toEqual(Array.from(crank.series(crank.find("crank.angle")!).v));
    const degrees = plot_data(over_time("crank.angle"), [crank], { rad: "deg" });
    expect(degrees.lines[0].unit).toBe("°");
    expect(degrees.lines[0].y[0]).toBeCloseTo((0.7 * 180) / Math.PI, 12);
  });

  it("has rates with their units", () => {
    const data = plot_data({ mode: "time", x: "", curves: [{ channel: "crank.angle", rate: 1 }] }, [crank], {});
    expect(data.lines[0].unit).toBe("rad/s");
    expect(data.lines[0].y[50]).toBeCloseTo(31.4, 6);
  });

  it("is a closed curve over another channel", () => {
    const data = plot_data({ mode: "xy", x: "coupler point.x", curves: [{ channel: "coupler point.y", rate: 0 }] }, [bars], {});
    const { x, y } = data.lines[0];
    expect(x[0]).toBeCloseTo(x[x.length - 1], 9);
    expect(y[0]).toBeCloseTo(y[y.length - 1], 9);
  });

  it("begins with the requested path", () => {
    const plots = first_plots(bars, ["coupler point"]);
    expect(plots[0].mode).toBe("xy");
    expect(plot_title(plots[0])).toBe("coupler point: y over x");
    expect(first_plots(crank, []).length).toBeGreaterThan(1);
  });

  it("leaves out what moves by round-off alone", async () => {
    const still = await spinning(5e-29);
    const shown = (run: Run) => first_plots(run, []).flatMap((p) => p.curves.map((c) => c.channel));
    expect(shown(still).filter((name) => name.includes("omega"))).toEqual([]);
    expect(shown(await spinning(0.3)).some((name) => name.includes("omega"))).toBe(true);
  });

  it("begins with what the model asks for, and with nothing else", async () => {
    const { doc, columns } = await slider_crank(101).pack(Infinity, { asked: { tables: [], plots: [{ name: "a", title: "Push", channels: ["piston.x", "gone"], x: "crank.angle", log: false }], animation: null } });
    const asked = first_plots(new Run(doc, await inflate(columns)), []);
    expect(asked.map((p) => [p.mode, p.x, p.curves.map((c) => c.channel), plot_title(p)])).toEqual([["xy", "crank.angle", ["piston.x"], "Push"]]);
  });

  it("subtracts equal runs to zero", () => {
    const data = plot_data({ ...over_time("piston.x"), mode: "difference" }, [crank, crank], {});
    expect(Math.max(...Array.from(data.lines[0].y, Math.abs))).toBe(0);
  });
});

describe("export", () => {
  it("writes CSV that reads back to the same numbers", () => {
    const data = plot_data(over_time("piston.x", "piston.vx"), [crank], {});
    const rows = to_csv(data).trim().split("\n");
    expect(rows[0]).toBe("time [s],piston.x [m],piston.vx [m/s]");
    expect(rows.length).toBe(102);
    expect(Number(rows[41].split(",")[1])).toBe(crank.series(crank.find("piston.x")!).v[40]);
  });

  it("puts names that are too many for one row below each other", () => {
    const names = crank.channels.filter((c) => c.unit === "m").map((c) => c.name).slice(0, 6);
    const data = plot_data(over_time(...names), [crank], {});
    const places = (width: number) => [...to_svg(data, "t", null, ["#111111"], width).matchAll(/<path d="M(\d[\d.]*) (\d+)h20"/g)].map(([, x, y]) => [Number(x), Number(y)]);
    expect(new Set(places(2000).map(([, y]) => y)).size).toBe(1);
    const narrow = places(420);
    expect(new Set(narrow.map(([, y]) => y)).size).toBeGreaterThan(1);
    expect(narrow.length).toBe(names.length);
    narrow.forEach(([x], k) => expect(x + 26 + 6.4 * names[k].length).toBeLessThan(420));
  });

  it("writes an SVG with one path a curve and escaped names", () => {
    const data = plot_data(over_time("piston.x", "rod.x"), [crank], {});
    const svg = to_svg(data, "<b>", null, ["#111111", "#222222"]);
    expect(svg).toContain("&lt;b&gt;");
    expect(svg.match(/stroke-linejoin="round"/g)?.length).toBe(2);
  });
});

describe("first plots", () => {
  it("have curves of like size and one unit", async () => {
    const b = new Builder("sizes", even(1, 51));
    b.channel("spin", "rad", "request spin", "request", (t) => 100 * t);
    b.channel("heading", "rad", "request heading", "request", (t) => 0.4 * t);
    b.channel("turn", "rad", "request turn", "request", (t) => -60 * t);
    b.channel("held", "rad", "request held", "request", () => 2);
    b.channel("force", "N", "request force", "request", (t) => t);
    const { doc, columns } = await b.pack(), run = new Run(doc, await inflate(columns));
    expect(alike(run, ["spin", "heading", "turn", "held", "force"])).toEqual([["spin", "turn", "held"], ["heading"], ["force"]]);
  });
});

describe("round-off", () => {
  it("beside larger values of its unit is shown as 0, energies too; residuals stay as they are", async () => {
    const b = new Builder("still", even(1, 11));
    b.channel("energy.kinetic", "J", "", "energy", () => 6.7e-26);
    b.channel("energy.potential", "J", "", "energy", () => 21582);
    b.channel("residual.position", "m", "", "residual", () => 1e-14);
    b.channel("bar.x", "m", "body bar", "position", () => 1);
    b.channel("bar.y", "m", "body bar", "position", () => -3e-17);
    const { doc, columns } = await b.pack(), run = new Run(doc, await inflate(columns));
    expect(["energy.kinetic", "energy.potential", "residual.position", "bar.y"].map((name) => run.seen(run.find(name)!, run.common(run.find(name)!)[0]))).toEqual([0, 21582, 1e-14, 0]);
  });
});

describe("axes", () => {
  it("have round ticks", () => {
    expect(ticks(0.03, 0.97, 5).values.map((v) => tick_text(v, 0.2))).toEqual(["0.2", "0.4", "0.6", "0.8"]);
    expect(ticks(-3, 7, 5).values).toEqual([-2, 0, 2, 4, 6]);
    expect(tick_text(-1.5e-9, 5e-10)).toBe("−1.5e−9");
  });

  it("leave out an end that dwarfs the rest, where there is one", () => {
    const x = Array.from({ length: 101 }, (_, i) => i), sine = x.map((t) => Math.sin(t / 7));
    expect(calm_range([{ x, y: sine }])).toBe(null);
    const [low, high] = calm_range([{ x, y: sine.map((v, i) => (i === 100 ? 1e9 : v)) }, { x, y: sine.map((v) => v / 2) }])!;
    expect(low).toBeCloseTo(-1.1, 1);
    expect(high).toBeCloseTo(1.1, 1);
    expect(calm_range([{ x: [0, 1], y: [0, 1e9] }])).toBe(null); // nothing was before
  });

  it("survive constants and nothing", () => {
    expect(range_of([[2, 2]])[0]).toBeLessThan(2);
    expect(range_of([[NaN]])).toEqual([0, 1]);
    expect(range_of([])).toEqual([0, 1]);
  });
});

describe("lists", () => {
  it("find channels by all words", () => {
    expect(match(crank.channels, "piston vel").map((c) => c.name)).toEqual(["piston.vx", "piston.vy", "piston.omega"]);
    expect(match(crank.channels, "REACTION pin").length).toBe(4);
    expect(match(crank.channels, "nothing like this")).toEqual([]);
  });

  it("know which lines belong to which element", () => {
    const { text } = crank.doc.model;
    const owners = owners_of(text, crank.doc.scene);
    const lines = text.split("\n");
    const k = lines.findIndex((l) => l.includes('"crank pin"'));
    expect(owners[k]).toEqual({ kind: "joint", name: "crank pin" });
    expect(owners[k - 1]).toEqual(owners[k]);
    expect(owners[0]).toBeNull();
  });

  it("choose a speed that can be watched", () => {
    expect(sensible_speed(5)).toBe(1);
    expect(sensible_speed(0.03)).toBe(0.01);
    expect(sensible_speed(100)).toBe(10);
    expect(sensible_speed(0)).toBe(1);
    expect(sensible_speed(5, 40)).toBe(0.1); // 40 turns a second: some 15 pictures of each
    expect(pace_words(40, 0.1)).toBe("");
    expect(pace_words(40, 1)).toContain("mislead");
    expect(pace_words(10, 1)).toContain("too fast");
  });
});
