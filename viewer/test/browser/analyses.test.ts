// The pages that belong to a kind of analysis, on a desktop and on a phone.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launch, open, report, until } from "./page.ts";

let browser: Browser;

beforeAll(async () => {
  execFileSync("node", ["build.mjs", "--fixtures"]);
  browser = await launch();
});

afterAll(() => browser?.close());

const tabs: [string, string][] = [["range", "Range"], ["inverse", "Reactions"], ["modes", "Modes"], ["equilibria", "Equilibria"], ["branches", "Branches"], ["sensitivities", "Sensitivities"]];
const sizes: [string, number, number][] = [["desktop", 1280, 900], ["phone", 390, 844]];

async function show(page: Page, tab: string): Promise<string> {
  await page.click(`nav button:has-text("${tab}")`);
  return page.locator("#page").innerText();
}

describe.each(sizes)("on a %s", (size, width, height) => {
  it.each(tabs)("the report of %s has its page, within the screen and without a fault", async (name, tab) => {
    const { page, faults } = await open(browser, report(name), width, height);
    expect((await show(page, tab)).length).toBeGreaterThan(100);
    await page.waitForTimeout(300);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    if (process.env.CARDAN_PICTURES) {
      mkdirSync(process.env.CARDAN_PICTURES, { recursive: true });
      await page.evaluate("document.querySelector('.body').style.overflow = 'visible'; document.querySelector('#app').style.height = 'auto'");
      await page.screenshot({ path: `${process.env.CARDAN_PICTURES}/${name}-${size}.png`, fullPage: true });
    }
    await page.keyboard.press("d");
    await page.waitForTimeout(100);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe("the page of", () => {
  it("a range tells dead centres, time ratio and the transmission angle, and draws both", async () => {
    const { page } = await open(browser, report("range"));
    const text = await show(page, "Range");
    expect(text).toContain("1.026");
    expect(text).toContain("Transmission angle");
    expect(text).toContain("°"); // angles in degrees unless asked otherwise
    expect(await page.locator(".chart path").count()).toBe(2);
    expect(await page.locator(".chart .spot").count()).toBe(3); // two dead centres, one worst angle
    await page.close();
  });

  it("reactions tells the largest with their times, and marks those that are not unique", async () => {
    const { page } = await open(browser, report("inverse"));
    const text = await show(page, "Reactions");
    expect(text).toMatch(/47\.17\sN/);
    expect(text).toContain("Not unique");
    expect(text).toContain("coupler.joints.fx");
    expect(await page.locator("td .open").count()).toBe(1);
    await page.click("button.stamp:has-text('1.5 s')");
    expect(await page.evaluate<number>("cardan.player.time.get()")).toBeCloseTo(1.5, 9);
    expect(await page.locator(".stage").isVisible()).toBe(true);
    await page.close();
  });

  it("modes moves the mechanism in the mode that is chosen by its name", async () => {
    const { page } = await open(browser, report("modes"));
    await page.click("nav button:has-text('Modes')");
    expect(await page.locator("button.mode").allInnerTexts()).toEqual(["Mode 1: 0.3187 Hz, mostly lower", "Mode 2: 0.9561 Hz, mostly lower"]);
    await page.click("button.mode:has-text('Mode 2')");
    expect(await page.locator(".card p[role=status]").innerText()).toContain("Mode 2");
    const picture = () => page.evaluate<string>("new Promise((done) => requestAnimationFrame(() => done(document.querySelector('.theatre canvas').toDataURL())))");
    const seen = new Set<string>();
    await until(page, "document.querySelector('.theatre canvas')");
    for (let k = 0; k < 6; k++) {
      seen.add(await picture());
      await page.waitForTimeout(150);
    }
    expect(seen.size).toBeGreaterThan(2);
    await page.close();
  });

  it("modes shows eigenvalues, those along a motion, root locus with its change of stability, and frequency response", async () => {
    const { page } = await open(browser, report("modes"));
    const text = await show(page, "Modes");
    for (const words of ["Along the motion", "Root locus over load", "Frequency response", "Derivatives of the eigenvalues"]) expect(text).toContain(words);
    expect(await page.locator("svg[aria-label='Eigenvalues in the complex plane'] .spot").count()).toBe(4);
    expect(await page.locator("svg[aria-label='Real parts of the eigenvalues over time'] .spot").count()).toBe(12);
    expect(await page.locator("svg[aria-label='Imaginary parts of the eigenvalues over time'] .spot").count()).toBe(6);
    expect(await page.locator("svg[aria-label='Eigenvalues over load in the complex plane'] path").count()).toBe(4);
    await page.close();
  });

  it("equilibria opens first, with kinds and pictures", async () => {
    const { page } = await open(browser, report("equilibria"));
    const text = await page.locator("#page").innerText();
    expect(text).toContain("2 equilibria");
    expect(text).toContain("maximum");
    await until(page, "[...document.querySelectorAll('img.pose')].filter((i) => i.src.length > 1000).length === 2");
    const [one, other] = await page.locator("img.pose").evaluateAll((all) => all.map((i) => (i as HTMLImageElement).src));
    expect(one).not.toBe(other);
    await page.close();
  });

  it("branches shows a picture of each and what tells them apart", async () => {
    const { page } = await open(browser, report("branches"));
    expect(await page.locator("#page").innerText()).toContain("Branch 1 (start of this run)");
    await until(page, "[...document.querySelectorAll('img.pose')].filter((i) => i.src.length > 1000).length === 2");
    await page.close();
  });

  it("sensitivities ranks parameters by p dy/dp over the range, and plots them", async () => {
    const { page } = await open(browser, report("sensitivities"));
    await page.click("nav button:has-text('Sensitivities')");
    // 4 x 0.1 against 1.5 x 0.26: the crank first.
    expect(await page.locator("tbody tr td:first-child").allInnerTexts()).toEqual(["crank", "coupler"]);
    expect(await page.locator("svg[aria-label='Derivatives of rocker.angle over time'] path").count()).toBe(2);
    await page.close();
  });
});
