// The page of a sweep as `cardan view` serves it: every point opens its report, two are compared, measures have histograms.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { launch, until } from "./page.ts";

const built = [process.env.CARDAN_PROGRAM ?? "", ...["joined", "dev", "release"].map((b) => join("..", "build", b, "apps", "cardan", "cardan"))].find((p) => p !== "" && existsSync(p));
const folder = mkdtempSync(join(tmpdir(), "cardan-sweep-"));
let browser: Browser, server: ChildProcess, page: Page;
const faults: string[] = [];

beforeAll(async () => {
  browser = await launch();
  const store = join(folder, "sweep");
  const words = ["--vary", "crank=70:5:90 mm", "--vary", "rod=190:10:210 mm", "--measure", 'peak = max(abs("wrist pin.force"))', "--until", "0.1"];
  execFileSync(built!, ["sweep", join("..", "models", "slider-crank"), ...words, "-o", store], { stdio: "ignore" });
  server = spawn(built!, ["view", store, "--json"]);
  const link = await new Promise<string>((done) => server.stdout!.on("data", (part: Buffer) => {
    const found = /http:[^"\s]+/.exec(part.toString());
    if (found) done(found[0]);
  }));
  page = await browser.newPage();
  page.on("pageerror", (e) => faults.push(e.message));
  await page.goto(link);
});

afterAll(async () => {
  server?.kill("SIGKILL");
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// The report inside, once it is drawn.
async function shown(): Promise<Frame> {
  await until(page, "document.querySelector('#shown iframe')");
  const frame = (await (await page.$("#shown iframe"))!.contentFrame())!;
  for (const end = Date.now() + 20_000; Date.now() < end; await page.waitForTimeout(50)) if (await frame.evaluate("!!document.documentElement.dataset.ready").catch(() => false)) return frame;
  throw new Error("the report was never ready");
}

it("opens the report of any point that is picked", async () => {
  expect(await page.locator("circle").count()).toBe(15);
  await page.locator("circle[data-point='7']").click();
  const frame = await shown();
  expect(await frame.evaluate("cardan.runs.length")).toBe(1);
  expect(await page.locator("#picked").textContent()).toContain("0.08");
});

it("compares two points", async () => {
  await page.locator("circle[data-point='2']").click({ modifiers: ["Shift"] });
  await until(page, "document.querySelector('#shown iframe').src.includes('other=7')");
  expect(await (await shown()).evaluate("cardan.runs.length")).toBe(2);
});

it("shows how often a measure has which value", async () => {
  await page.locator("#x").selectOption("peak");
  await page.locator("#y").selectOption("");
  expect(await page.locator("#plot rect").count()).toBe(5);
  expect(await page.locator("#statistics").textContent()).toContain("standard deviation");
  expect(faults).toEqual([]);
});

it("draws contours and main effects", async () => {
  await page.locator("#x").selectOption("crank");
  await page.locator("#y").selectOption("rod");
  await page.locator("#c").selectOption("peak");
  await page.locator("#bands").check();
  expect(await page.locator("#plot path[data-band]").count()).toBe(12);
  // The bands cover the plot once: their areas, by the formula of polygons, sum to that of its axes.
  const area = await page.evaluate(`[...document.querySelectorAll("#plot path[data-band]")].flatMap((p) => p.getAttribute("d").split("M").slice(1))
    .map((part) => part.replace("Z", "").split("L").map((q) => q.split(" ").map(Number)))
    .reduce((sum, q) => sum + Math.abs(q.reduce((s, [x, y], k) => s + x * q[(k + 1) % q.length][1] - y * q[(k + 1) % q.length][0], 0)) / 2, 0)`);
  expect(area as number / (790 * 355)).toBeCloseTo(1, 2);
  const lines = await page.evaluate("[...document.querySelectorAll('#effects polyline')].map((line) => line.getAttribute('points').split(' ').length)");
  expect(lines).toEqual([5, 3]);
  expect(faults).toEqual([]);
});

it("leaves nothing behind when it is stopped", async () => {
  const before = readdirSync(tmpdir()).filter((name) => /^cardan-[A-Za-z0-9]{6}$/.test(name));
  const ended = new Promise((done) => server.on("exit", done));
  server.kill("SIGINT");
  expect(await ended).toBe(0);
  const left = readdirSync(tmpdir()).filter((name) => before.includes(name));
  expect(left.length).toBeLessThan(before.length);
});
