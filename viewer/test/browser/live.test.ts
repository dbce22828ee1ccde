// The real program: `cardan view` follows a simulation while it runs, and its reports open without a fault.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { coverage, launch, open, until } from "./page.ts";

const built = [process.env.CARDAN_PROGRAM ?? "", ...["joined", "dev", "release"].map((b) => join("..", "build", b, "apps", "cardan", "cardan"))].find((p) => p !== "" && existsSync(p));
const model = (name: string) => join("..", "models", name, "model.toml");
const folder = mkdtempSync(join(tmpdir(), "cardan-view-"));
const children: ChildProcess[] = [];
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterEach(() => children.splice(0).forEach((c) => c.kill("SIGKILL")));

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(...words: string[]): ChildProcess {
  const child = spawn(built!, words);
  children.push(child);
  return child;
}

// What `cardan view --json` says first: the link.
function link_of(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let text = "";
    child.stdout!.on("data", (part: Buffer) => {
      text += part.toString();
      const found = /http:[^"\s]+/.exec(text);
      if (found) done(found[0]);
    });
    child.on("exit", () => fail(new Error(`cardan view ended: ${text}`)));
  });
}

function run_to_end(name: string, ...more: string[]): string {
  const out = join(folder, `${name}-${Math.random().toString(36).slice(2)}`);
  try {
    execFileSync(built!, ["run", model(name), "-o", out, ...more], { stdio: "ignore" });
  } catch {
    // A model that cannot run says so by its exit code, and in its report.
  }
  return `file://${join(out, "report.html")}`;
}

// How far apart the drawing leaves the points that joints hold together, at a row in the middle of the run: places, orientations
// and points of both bodies must fit for it to be nothing.
const gap = `(() => {
  const { poses, scene, up } = cardan.motion.view.drawings[0], times = cardan.runs[0].time;
  poses.set(times[Math.floor(times.length / 2)]);
  const held = scene.joints.filter((j) => ["revolute", "spherical", "universal", "fixed"].includes(j.type));
  return Math.max(0, ...held.map((j) => poses.point(j.sides[0], up.clone()).distanceTo(poses.point(j.sides[1], up.clone()))));
})()`;

describe.skipIf(built === undefined)("the program", () => {
  it("lets the page follow a simulation while it runs", async () => {
    const run = start("run", model("double-pendulum"), "-o", join(folder, "live"), "--until", "1e6", "--output-step", "5", "--rtol", "1e-10");
    while (!existsSync(join(folder, "live", "run.db"))) await new Promise((r) => setTimeout(r, 20));
    const { page, faults } = await open(browser, await link_of(start("view", join(folder, "live"), "--json")));
    expect(await page.locator(".title .status").innerText()).toBe("running");
    const rows = await page.evaluate<number>("cardan.runs[0].doc.rows");
    await page.keyboard.press("End");
    await until(page, `cardan.runs[0].doc.rows > ${rows} && cardan.player.time.get() === cardan.runs[0].end`);
    run.kill("SIGKILL"); // it cannot say farewell; the page finds out
    await until(page, "document.querySelector('.title .status').textContent === 'interrupted'");
    expect(faults).toEqual([]);
    await page.close();
  }, 90_000);

  it("lists the runs of a folder and compares two", async () => {
    for (const length of ["0.2", "0.4"]) run_to_end("pendulum", "--until", length, "--no-report");
    const { page, faults } = await open(browser, await link_of(start("view", folder, "--json")));
    await page.waitForSelector("tbody tr");
    const boxes = page.locator("tr:has-text('pendulum-') input[type=checkbox]");
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.click("a:has-text('Compare')");
    await until(page, "window.cardan && cardan.runs.length === 2 && cardan.motion.view.frames > 0");
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it.each(["slider-crank", "four-bar", "andrews", "parallelogram", "infeasible", "cam-follower", "gear-train",
    "bennett", "gyroscope", "heavy-top", "spatial-four-bar", "spatial-slider-crank", "spherical-chain", "tumbling-body", "universal-train"])("writes a report of %s that opens without a fault", async (name) => {
    const { page, faults } = await open(browser, run_to_end(name));
    const failed = name === "infeasible";
    expect(await page.locator(".title .status").innerText()).toBe(failed ? "failed" : "completed");
    expect(await page.locator(".fault").count()).toBe(failed ? 1 : 0);
    expect((await coverage(page)).filter((share) => share > 0).length).toBeGreaterThan(failed ? 0 : 3);
    if (!failed) expect(await page.evaluate(gap)).toBeLessThan(1e-7);
    for (const tab of ["Summary", "Mobility", "Diagnostics", "Model", "Manifest", "Motion"]) {
      await page.click(`nav button:has-text("${tab}")`);
      expect(await page.locator("#page").innerText()).not.toMatch(/NaN|undefined|null/);
    }
    if (name === "parallelogram") {
      await page.click("nav button:has-text('Mobility')");
      expect(await page.locator(".redundancies .chips li").count()).toBeGreaterThan(3);
    }
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);
});

describe.runIf(built)("reports of the program", () => {
  const run = (name: string, ...more: string[]) => execFileSync(built!, ["run", model("press"), "-q", "-o", join(folder, name), ...more]);

  it("lay three runs over each other, named by what was changed", async () => {
    run("a");
    run("b", "--set", "speed=200 rpm");
    run("c", "--set", "speed=300 rpm");
    execFileSync(built!, ["report", ...["a", "b", "c"].map((n) => join(folder, n)), "-o", join(folder, "three.html")]);
    const { page, faults } = await open(browser, `file://${join(folder, "three.html")}`);
    const legend = await page.locator(".panel").first().locator(".legend li .name").allInnerTexts();
    expect(legend).toEqual(["motor.torque (speed = 120 rpm)", "motor.torque (speed = 200 rpm)", "motor.torque (speed = 300 rpm)"]);
    expect(await page.evaluate("cardan.motion.view.drawings.length")).toBe(3);
    await page.click("nav button:has-text('Summary')");
    expect(await page.locator("thead th[scope=col]").count()).toBe(3);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("open with the results: peaks of drivers and joints as the summary has them, and the equations", async () => {
    run("d");
    const { page, faults } = await open(browser, `file://${join(folder, "d", "report.html")}`);
    expect(await page.locator(".figures").innerText()).toContain("72.3");
    await page.click("nav button:has-text('Summary')");
    const text = await page.locator(".answers").innerText();
    for (const part of ["motor.torque", "motor.power", "main bearing.first.force", "1637", "ram.x", "0.18"]) expect(text).toContain(part);
    await page.click("nav button:has-text('Equations')");
    expect(await page.locator("#page").innerText()).toContain("9 − 9 = 0");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("of a press with forty turns a second have its peaks", async () => {
    run("fast", "--set", "speed=2400 rpm", "--until", "5");
    const { page, faults } = await open(browser, `file://${join(folder, "fast", "report.html")}`);
    await page.click("nav button:has-text('Summary')");
    await page.click("button:has-text('All 91 channels')");
    const known: [string, number, number][] = [["motor.torque", -3960, 3960], ["main bearing.first.fy", -25000, 25000], ["ram.x", 0.18, 0.3]];
    for (const [channel, least, largest] of known) {
      const cells = await page.locator("section.card:has(h2:has-text('Peaks')) tr", { has: page.locator(`td:text-is("${channel}")`) }).locator("td.number").allInnerTexts();
      const [low, high] = cells.map((text) => parseFloat(text.replace("−", "-").replace(/[\s\u202f](?=\d)/g, "")));
      expect(Math.abs(low / least - 1)).toBeLessThan(0.01);
      expect(Math.abs(high / largest - 1)).toBeLessThan(0.01);
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("of a mechanism that locks show what was before, not the last values alone", async () => {
    const { page, faults } = await open(browser, run_to_end("four-bar", "--set", "crank=120 mm"));
    const torque = `cardan.motion.panels.find((p) => p.spec.curves[0].channel === "motor.torque").canvas`;
    const span = () => page.evaluate<number>(`(() => { const [low, high] = ${torque}.seen.y; return high - low; })()`);
    expect(await span()).toBeLessThan(100); // N m; the last value is beyond 1e10
    const panel = page.locator(".panel", { has: page.locator("h3", { hasText: "motor.torque" }) });
    expect(await panel.locator(".cut").isVisible()).toBe(true);
    await panel.locator(".u-over").dblclick();
    await until(page, `${torque}.seen.y[1] > 1e9`);
    expect(await panel.locator(".cut").isVisible()).toBe(false);
    expect(await page.locator(".figures").count()).toBe(0);
    await page.click("nav button:has-text('Summary')");
    expect(await page.locator(".answers").locator("xpath=..").innerText()).toContain("Up to t = 0.25");
    expect(faults).toEqual([]);
    await page.close();
  });

  it("name the impulse of a driver whose velocity jumps, which its force does not show", async () => {
    const text = bar("0", '[[driver]]\nname = "push"\njoint = "hook"\nmotion = "table(t, 0, 0, 1, 1, 2, 0)"\n[[analysis]]\ntype = "dynamic"\nuntil = "2 s"\n');
    writeFileSync(join(folder, "kink.toml"), text);
    execFileSync(built!, ["run", join(folder, "kink.toml"), "-q", "-o", join(folder, "kink")]);
    const { page, faults } = await open(browser, `file://${join(folder, "kink", "report.html")}`);
    expect(await page.locator(".figures").innerText()).toMatch(/impulse of .*\n?-0.2 N\*m\*s/);
    await page.click("nav button:has-text('Summary')");
    const said = await page.locator(".answers").innerText();
    expect(said).toContain("Impulses of drivers: 1");
    expect(said).toContain("-0.2 N*m*s"); // the inertia about the hook is 0.1 kg m^2, the rate goes from 1 to -1 rad/s
    expect(faults).toEqual([]);
    await page.close();
  });

  it("of poses say nothing of energies, have no empty plots, and print what was found", async () => {
    const one = async (command: string, ...more: string[]) => {
      const out = join(folder, `still-${command}`);
      execFileSync(built!, [command, model("quarter-car"), "-q", "-o", out, ...more]);
      return open(browser, `file://${join(out, "report.html")}`);
    };
    const rest = await one("equilibrium", "--all"), small = await one("linearise");
    for (const { page } of [rest, small]) {
      expect(await page.locator(".trust").innerText()).not.toContain("energy");
      expect(await page.locator(".panel").count()).toBe(0);
      await page.evaluate("cardan.paper()");
    }
    expect(await rest.page.locator(".sheet").last().innerText()).toContain("Equilibrium 4");
    expect(await small.page.locator(".sheet").last().innerText()).toContain("1.266");
    expect([...rest.faults, ...small.faults]).toEqual([]);
    await rest.page.close();
    await small.page.close();
  });

  it("follow what goes far away from the start, and nothing else", async () => {
    const bodies = (speed: string) => ["a", "b", "c"].map((name, k) => `[[body]]\nname = "${name}"\nat = [${0.5 * k}, 0]\nvelocity = ["${speed}", 0]\nmass = "1 kg"\nshape = { disc = "100 mm" }\n`).join("");
    const followed: string[] = [];
    for (const speed of ["20 m/s", "1 m/s"]) {
      writeFileSync(join(folder, "cart.toml"), `gravity = [0, 0]\n${bodies(speed)}[[analysis]]\ntype = "dynamic"\nuntil = "2 s"\n`);
      execFileSync(built!, ["run", join(folder, "cart.toml"), "-q", "-o", join(folder, "cart"), "--force"]);
      const { page, faults } = await open(browser, `file://${join(folder, "cart", "report.html")}`);
      followed.push(await page.evaluate<string>("cardan.motion.followed.get()"));
      expect((await coverage(page)).some((share) => share > 0.05)).toBe(true); // near, not a dot on a long way
      expect(faults).toEqual([]);
      await page.close();
    }
    expect(followed).toEqual(["b", ""]);
  });

  it("show analyses that go on in time on one time line", async () => {
    const text = readFileSync(model("press"), "utf8") + '\n[[analysis]]\ntype = "dynamic"\nuntil = "3 s"\n';
    writeFileSync(join(folder, "two.toml"), text);
    execFileSync(built!, ["run", join(folder, "two.toml"), "-q", "-o", join(folder, "e")]);
    const { page, faults } = await open(browser, `file://${join(folder, "e", "report.html")}`);
    expect(await page.evaluate("cardan.player.range")).toEqual([0, 3]);
    await page.selectOption("select[aria-label=Analysis]", "0");
    await until(page, "cardan.player.range[1] === 2");
    expect(faults).toEqual([]);
    await page.close();
  });

  // The line of the spectrum that stands highest, beside 0.
  const highest = (channel: string) => `(() => {
    cardan.motion.replace([{ mode: "spectrum", x: "", curves: [{ channel: "${channel}", rate: 0 }] }]);
    const { x, y } = cardan.motion.panels[0].data.lines[0];
    let best = 1;
    for (let k = 2; k + 1 < x.length; k++) if (y[k] > y[best] && y[k] >= y[k - 1]) best = k;
    return [x[best], y[best], x[x.length - 1]];
  })()`;
  const bar = (gravity: string, more: string) => `gravity = [0, ${gravity}]\n[[body]]\nname = "bar"\nfrom = [0, 0]\nto = ["500 mm", 0]\nmass = "1.2 kg"\n[[joint]]\ntype = "revolute"\nname = "hook"\nbetween = ["ground", "bar"]\nat = [0, 0]\n${more}`;

  it("have the spectrum of a crank at 25 Hz, and of a pendulum over 5000 s of which the file keeps few rows", async () => {
    const tip = '[[request]]\ntype = "point"\nname = "tip"\nbody = "bar"\nat = ["500 mm", 0]\n[[driver]]\nname = "motor"\njoint = "hook"\nmotion = "1500 rpm*t"\n';
    writeFileSync(join(folder, "crank.toml"), bar("0", `${tip}[[analysis]]\ntype = "dynamic"\nuntil = "5 s"\n`));
    writeFileSync(join(folder, "swing.toml"), bar('"-9.81 m/s^2"', '[[analysis]]\ntype = "dynamic"\nuntil = "5000 s"\n'));
    for (const name of ["crank", "swing"]) execFileSync(built!, ["run", join(folder, `${name}.toml`), "-q", "-o", join(folder, name)]);
    const crank = await open(browser, `file://${join(folder, "crank", "report.html")}`);
    const [f, a] = await crank.page.evaluate<number[]>(highest("tip.x"));
    expect(f).toBeCloseTo(25, 2);
    expect(Math.abs(a - 0.5)).toBeLessThan(0.005);
    const swing = await open(browser, `file://${join(folder, "swing", "report.html")}`);
    expect(await swing.page.evaluate("cardan.runs[0].thinned")).toBe(true);
    const [g, b, end] = await swing.page.evaluate<number[]>(highest("bar.angle"));
    expect(g).toBeCloseTo(0.7315, 3); // 1/(4 sqrt(2 l / (3 g)) K(sin 45 deg))
    expect(Math.abs(b - 1.594)).toBeLessThan(0.016);
    expect(end).toBeGreaterThan(5);
    expect([...crank.faults, ...swing.faults]).toEqual([]);
    await crank.page.close();
    await swing.page.close();
  }, 120_000);

  it.each(["four-cylinder-engine", "andrews"])("of %s cost the page less than 5 ms of script a frame", async (name) => {
    const { page } = await open(browser, run_to_end(name, "-q"));
    // The frames of the clock one after the other; the middle one, since other programs on the machine hold up some of them.
    const middle = `(() => {
      const times = [], [a, b] = cardan.player.range;
      for (let k = 0; k < 15; k++) {
        const begun = performance.now();
        cardan.player.seek(a + ((b - a) * k) / 15);
        cardan.motion.draw(begun);
        for (const move of cardan.shared.each_frame) move(begun);
        times.push(performance.now() - begun);
      }
      return times.sort((x, y) => x - y)[7];
    })()`;
    let best = Infinity;
    for (let k = 0; k < 4 && best > 5; k++) {
      best = Math.min(best, await page.evaluate<number>(middle));
      await page.waitForTimeout(500);
    }
    console.log(`${name}: ${best.toFixed(2)} ms of script a frame`);
    expect(best).toBeLessThan(5);
    await page.close();
  }, 120_000);
});
