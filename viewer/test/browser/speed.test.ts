// The promised figures: first frame within 2 s, 30 frames a second with 200 bodies. On a quiet machine by the clock. On one that
// does other things at the same time by the processor time that the browser needs with all its processes: what costs less than
// 1/30 s of one processor a frame is drawn 30 times a second by a machine that is free to do it.
import { execFileSync } from "node:child_process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launch, open, processor_time, report } from "./page.ts";

let browser: Browser;

beforeAll(async () => {
  execFileSync("node", ["build.mjs", "--fixtures"]);
  browser = await launch();
  await (await open(browser, report("slider_crank"))).page.close(); // the browser's own first page is not ours to judge
});

afterAll(() => browser?.close());

interface Measured {
  clock: number; // milliseconds
  processor: number;
}

async function best(tries: number, limit: number, measure: () => Promise<Measured>): Promise<void> {
  const seen: Measured[] = [];
  const good = ({ clock, processor }: Measured) => clock <= limit || processor <= limit;
  while (seen.length < tries && !seen.some(good)) seen.push(await measure());
  const words = seen.map(({ clock, processor }) => `${clock.toFixed(1)} ms by the clock, ${processor.toFixed(1)} ms of processor time`).join("; ");
  console.log(words);
  expect(seen.some(good), `${words}; allowed ${limit.toFixed(1)} ms`).toBe(true);
}

describe("speed", () => {
  it("shows the first frame of 10 bodies and 1,000 samples within 2 s", () =>
    best(4, 2000, async () => {
      const before = processor_time();
      const { page, first_frame } = await open(browser, report("ten"));
      const processor = processor_time() - before;
      await page.close();
      return { clock: first_frame, processor };
    }), 120_000);

  it.each(["chain", "rope"])("draws 200 bodies (%s) at 30 frames a second", (name) =>
    best(4, 1000 / 30, async () => {
      const { page } = await open(browser, report(name), 1000, 640);
      await page.evaluate("cardan.player.toggle()");
      await page.waitForTimeout(700);
      const now = () => page.evaluate<[number, number]>("[cardan.motion.view.frames, performance.now()]");
      const [f0, t0] = await now();
      const p0 = processor_time();
      await page.waitForTimeout(2500);
      const [f1, t1] = await now();
      const p1 = processor_time();
      await page.close();
      return { clock: (t1 - t0) / (f1 - f0), processor: (p1 - p0) / (f1 - f0) };
    }), 120_000);
});
