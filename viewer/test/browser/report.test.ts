import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { coverage, launch, open, report, until } from "./page.ts";

let browser: Browser;

beforeAll(async () => {
  execFileSync("node", ["build.mjs", "--fixtures"]);
  browser = await launch();
});

afterAll(() => browser?.close());

const covered = (cells: number[]) => cells.reduce((a, b) => a + b, 0) / cells.length;

describe.each(["slider_crank", "four_bar", "platform", "chain", "rope", "failed", "long", "comparison"])("report of %s", (name) => {
  it("opens, plays, scrubs and shows every page without a fault", async () => {
    const { page, faults } = await open(browser, report(name));
    const before = await coverage(page);
    expect(covered(before)).toBeGreaterThan(0.002);
    await page.click("button[title^='Play']");
    await until(page, "cardan.player.time.get() > cardan.player.range[0]");
    await page.click("button[title^='Play']");
    await page.locator("input[aria-label='Time']").fill("4700");
    await page.waitForTimeout(100);
    const after = await coverage(page);
    expect(after.reduce((sum, v, k) => sum + Math.abs(v - before[k]), 0)).toBeGreaterThan(0.01);
    for (const tab of ["Summary", "Mobility", "Diagnostics", "Model", "Manifest", "Motion"]) {
      await page.click(`nav button:has-text("${tab}")`);
      expect(await page.locator("#page").innerText()).not.toBe("");
    }
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe("drawing", () => {
  it("shows key frames of the slider-crank where the mechanism is", async () => {
    const { page } = await open(browser, report("slider_crank"));
    // With the crank to the left, crank, rod and piston stand to the left of where they are with the crank to the right.
    const middle = async (angle: number) => {
      await page.evaluate(`cardan.player.seek((${angle} - 0.7 + 4 * Math.PI) % (2 * Math.PI) / 31.4)`);
      await page.waitForTimeout(80);
      const cells = await coverage(page, 16);
      return cells.reduce((sum, v, k) => sum + v * (k % 16), 0) / cells.reduce((sum, v) => sum + v, 0);
    };
    expect(await middle(Math.PI)).toBeLessThan((await middle(0)) - 0.15);
    await page.close();
  });

  it("plots the reactions of a joint that is clicked", async () => {
    const { page } = await open(browser, report("slider_crank"));
    const spot = await page.evaluate<{ x: number; y: number }>(`(() => {
      const view = cardan.motion.view, box = view.canvas.getBoundingClientRect();
      view.shows.labels = true; view.apply(); view.draw_now();
      const pin = view.label_places().find((p) => p.text === "crank pin");
      return { x: box.left + pin.x, y: box.top + pin.y };
    })()`);
    await page.mouse.click(spot.x, spot.y);
    await page.waitForSelector("h3:has-text('crank pin.fx')");
    await page.close();
  });

  it("switches everything on and to dark without a fault", async () => {
    for (const name of ["slider_crank", "platform"]) {
      const { page, faults } = await open(browser, report(name));
      for (const key of ["t", "g", "r", "n", "p", "d", "f", "ArrowRight", "End", "Home", "+", "?"]) await page.keyboard.press(key);
      expect(await page.evaluate("document.documentElement.classList.contains('dark')")).toBe(true);
      expect(await page.locator("dialog.help").isVisible()).toBe(true);
      expect(faults).toEqual([]);
      await page.close();
    }
  });
});

describe("plots", () => {
  it("take channels from the searched list and show the stored value", async () => {
    const { page, faults } = await open(browser, report("slider_crank"));
    await page.click("button:has-text('Add a plot')");
    await page.fill("input[type=search]", "rod omega");
    await page.check(".picker label:has-text('omega') input");
    await page.keyboard.press("Escape");
    await page.evaluate("cardan.player.seek(cardan.runs[0].time[500])");
    const stored = await page.evaluate<number>("cardan.runs[0].series(cardan.runs[0].find('rod.omega')).v[500]");
    const shown = async () => {
      const text = await page.locator(".panel:has(h3:has-text('rod.omega')) output").innerText();
      return Number(text.replace("−", "-").split(" ")[0]);
    };
    await expect.poll(shown, { timeout: 5000 }).toBe(Number(stored.toPrecision(6)));
    expect(faults).toEqual([]);
    await page.close();
  });

  it("change units, differentiate, show spectra and phase portraits", async () => {
    const { page, faults } = await open(browser, report("slider_crank"));
    await page.click("summary[title=Units]");
    await page.click("button:has-text('rpm')");
    await page.click("summary[title=Units]");
    expect(await page.locator(".panel output").first().innerText()).toContain("mm");
    await page.hover(".legend li");
    await page.click(".panel >> nth=0 >> button:has-text('d/dt')");
    expect(await page.locator(".panel output").first().innerText()).toContain("mm/s");
    for (const mode of ["spectrum", "xy", "time"]) await page.selectOption(".panel >> nth=0 >> select[aria-label='Kind of plot']", mode);
    expect(faults).toEqual([]);
    await page.close();
  });

  it("move the animation with the pointer and zoom together", async () => {
    const { page } = await open(browser, report("slider_crank"));
    const box = (await page.locator(".panel .u-over").first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.waitForTimeout(60);
    expect(await page.evaluate<number>("cardan.player.time.get()")).toBeCloseTo(0.5, 1);
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 30, { steps: 5 });
    await page.mouse.up();
    await until(page, "cardan.motion.panels.every((p) => p.canvas.seen)");
    const ranges = await page.evaluate<number[]>("cardan.motion.panels.map((p) => p.canvas.seen.x[1] - p.canvas.seen.x[0])");
    for (const r of ranges) expect(r).toBeCloseTo(0.25, 1);
    await page.close();
  });

  it("save what is shown as CSV, to the last bit", async () => {
    const { page } = await open(browser, report("slider_crank"));
    await page.click(".panel >> nth=0 >> summary[title^='Save']");
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(".panel >> nth=0 >> button:has-text('CSV')")]);
    const rows = readFileSync((await file.path())!, "utf8").trim().split("\n");
    const stored = await page.evaluate<number[]>("Array.from(cardan.runs[0].series(cardan.runs[0].find('piston.x')).v)");
    expect(rows.slice(1).map((r) => Number(r.split(",")[1]))).toEqual(stored);
    await page.close();
  });

  it("keep a spike of one sample in 100,000", async () => {
    const { page } = await open(browser, report("long"));
    const most = await page.evaluate<number>("Math.max(...cardan.runs[0].series(cardan.runs[0].find('spike.force')).v)");
    expect(most).toBe(123.456789);
    expect(await page.locator(".notice").innerText()).toContain("100,000");
    await page.close();
  });
});

describe("numbers", () => {
  // Every curve's readout, at many times, against the stored value rounded once to the digits shown.
  it("are the store's to the last digit shown", async () => {
    const { page } = await open(browser, report("slider_crank"));
    const wrong = await page.evaluate<string[]>(`(() => {
      const out = [], run = cardan.runs[0];
      for (const panel of cardan.motion.panels)
        for (let i = 0; i < run.time.length; i += 7) {
          panel.set_time(run.time[i]);
          for (const item of panel.element.querySelectorAll(".legend li")) {
            const name = item.querySelector(".name").textContent, text = item.querySelector("output").textContent.split(" ")[0];
            const shown = Number(text.replaceAll("\u2212", "-")), stored = run.common(run.find(name))[i];
            if (shown !== Number(stored.toPrecision(6))) out.push(name + " " + i + ": " + text + " for " + stored);
          }
        }
      return out;
    })()`);
    expect(wrong).toEqual([]);
    await page.close();
  });

  it("of a spike of one sample in 100,000 are drawn, not only kept", async () => {
    const { page } = await open(browser, report("long"));
    await page.evaluate(`cardan.motion.add({ mode: "time", x: "", curves: [{ channel: "spike.force", rate: 0 }] }, false)`);
    await page.waitForTimeout(200);
    // The column of pixels at the spike's time: the curve must reach from its valley to near the top.
    const height = await page.evaluate<number>(`(() => {
      const { plot } = cardan.motion.panels.at(-1).canvas, pen = plot.ctx, { left, top, width, height } = plot.bbox;
      const t = 43217 / 99999 * 100, x = Math.round(plot.valToPos(t, "x", true));
      const { data } = pen.getImageData(x - 2, top, 5, height);
      let first = height;
      for (let row = 0; row < height; row++)
        for (let k = 0; k < 5; k++) {
          const at = 4 * (5 * row + k);
          if (data[at + 3] > 100 && data[at + 2] - data[at] > 60) first = Math.min(first, row);
        }
      return 1 - first / height;
    })()`);
    expect(height).toBeGreaterThan(0.9);
    await page.close();
  });

  it("that are not numbers are counted where they are thinned away", async () => {
    const { page } = await open(browser, report("long"));
    expect(await page.locator(".notice").innerText()).toContain("broken.signal (3)");
    await page.close();
  });
});

describe("two runs", () => {
  it("are laid over each other, and their difference is that of the stored values", async () => {
    const { page, faults } = await open(browser, report("comparison"));
    const first = page.locator(".panel").first();
    expect(await first.locator(".legend li").count()).toBe(2);
    await first.locator("select[aria-label='Kind of plot']").selectOption("difference");
    await until(page, "cardan.motion.panels[0].canvas.seen");
    const apart = await page.evaluate<number[]>(`(() => {
      const [a, b] = cardan.runs, name = cardan.motion.panels[0].spec.curves[0].channel;
      const line = cardan.motion.panels[0].data.lines[0], t = a.time[300], v = a.common(a.find(name))[300], w = b.common(b.find(name)), times = b.time;
      let j = 0;
      while (times[j + 1] <= t) j++;
      const other = w[j] + ((t - times[j]) / (times[j + 1] - times[j])) * (w[j + 1] - w[j]);
      return [line.y[300], other - v];
    })()`);
    expect(apart[0]).toBeCloseTo(apart[1], 12);
    // One pointer for all plots and both mechanisms.
    const box = (await page.locator(".panel .u-over").nth(1).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await until(page, "Math.abs(cardan.player.time.get() - 0.5) < 0.05");
    expect(await page.evaluate("cardan.motion.view.drawings.length")).toBe(2);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe("diagnostics", () => {
  it("of a run that failed stand beside the drawing", async () => {
    const { page } = await open(browser, report("failed"));
    expect(await page.locator(".fault").innerText()).toContain("cannot move on");
    await page.click(".fault button");
    expect(await page.evaluate<number>("cardan.player.time.get()")).toBeCloseTo(0.286, 9);
    await page.close();
  });

  it("take the animation to their time", async () => {
    const { page } = await open(browser, report("failed"));
    await page.click("nav button:has-text('Diagnostics')");
    await page.click("button.stamp:has-text('0.243')");
    expect(await page.evaluate<number>("cardan.player.time.get()")).toBeCloseTo(0.243, 9);
    expect(await page.locator(".stage").isVisible()).toBe(true);
    await page.close();
  });
});

describe("small screens and paper", () => {
  // Nothing stands beyond the edge where it cannot be scrolled to, on any page.
  it.each([["slider_crank", 1280], ["slider_crank", 390], ["four_bar", 390], ["platform", 1280], ["platform", 390], ["comparison", 390], ["comparison", 1280], ["modes", 390], ["inverse", 390], ["range", 390]] as const)("hold every page of %s at a width of %d", async (name, width) => {
    const { page, faults } = await open(browser, report(name), width, 844);
    const tabs = await page.locator("nav[role=tablist] button").count();
    expect(tabs).toBeGreaterThan(4);
    for (let k = 0; k < tabs; k++) {
      await page.locator("nav[role=tablist] button").nth(k).click();
      const beyond = await page.evaluate<string[]>(`(() => {
        const reachable = (e) => { for (let a = e; a && !a.classList.contains("body"); a = a.parentElement) { const x = getComputedStyle(a).overflowX; if (x === "auto" || x === "scroll") return true; if (x !== "visible" && a !== e) return false; } return false; };
        return [...document.querySelectorAll(".body *, .toolbar *, .trust")].filter((e) => !e.closest("svg, .uplot, .labels, canvas, dialog") && e.getClientRects().length > 0 && !e.classList.contains("label") && e.getBoundingClientRect().right > innerWidth + 1 && !reachable(e))
          .map((e) => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40));
      })()`);
      expect(beyond, await page.locator("nav[role=tablist] button").nth(k).innerText()).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it("print every page, dark on white", async () => {
    const { page } = await open(browser, report("four_bar"));
    await page.keyboard.press("d");
    const pages = (await page.pdf()).toString("latin1").match(/\/Type\s*\/Page\b/g) ?? [];
    expect(pages.length).toBeGreaterThanOrEqual(6); // motion, summary, mobility, diagnostics, model, manifest
    await until(page, "document.documentElement.classList.contains('dark')"); // as it was before
    expect(await page.locator("#page").count()).toBe(1);
    await page.close();
  });
});
