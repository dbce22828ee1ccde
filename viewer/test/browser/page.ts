// A real Chromium for the browser tests, and the report pages of the fixtures. On a machine without a graphics card the page is
// composed and its drawings are made by the processor, as for a user who has none.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

const program = process.env.CARDAN_BROWSER ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export function launch(): Promise<Browser> {
  if (program === undefined) throw new Error("no Chromium: apt-get install chromium, or set CARDAN_BROWSER");
  return chromium.launch({ executablePath: program, args: ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
}

export const report = (name: string) => `file://${join(process.cwd(), "build", `${name}.html`)}`;

export interface Opened {
  page: Page;
  faults: string[]; // console errors and exceptions
  first_frame: number; // milliseconds from the start of the navigation, by the browser's clock
}

export async function open(browser: Browser, address: string, width = 1280, height = 800): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height }, acceptDownloads: true });
  const faults: string[] = [];
  page.on("console", (m) => {
    const about_driver = m.text().includes("GL Driver Message"); // the browser's own software driver, on its own speed
    if ((m.type() === "error" || m.type() === "warning") && !about_driver) faults.push(m.text());
  });
  page.on("pageerror", (e) => faults.push(e.message));
  await page.goto(address);
  await until(page, "document.documentElement.dataset.ready && (!window.cardan?.motion.view || cardan.motion.view.frames > 0 || document.querySelector('#app').dataset.page !== '0')");
  const first_frame = await page.evaluate<number>("performance.now()");
  return { page, faults: faults, first_frame };
}

// The page's own rules forbid evaluating text inside it, so the waiting is done from here.
export async function until(page: Page, condition: string, patience = 20_000): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end; await page.waitForTimeout(20)) if (await page.evaluate(`!!(${condition})`).catch(() => false)) return; // false: a new page is being loaded
  throw new Error(`never became true: ${condition}`);
}

// Share of the drawing's pixels that differ clearly from its background, in a grid of n x n cells.
export async function coverage(page: Page, n = 8): Promise<number[]> {
  return page.evaluate((cells) => {
    const { view } = (window as unknown as { cardan: { motion: { view: { canvas: HTMLCanvasElement; draw_now(): void } } } }).cardan.motion;
    view.draw_now();
    const copy = document.createElement("canvas");
    copy.width = copy.height = cells * 16;
    const pen = copy.getContext("2d")!;
    pen.drawImage(view.canvas, 0, 0, copy.width, copy.height);
    const { data } = pen.getImageData(0, 0, copy.width, copy.height);
    const out = new Array<number>(cells * cells).fill(0);
    for (let y = 0; y < copy.height; y++)
      for (let x = 0; x < copy.width; x++) {
        const k = 4 * (y * copy.width + x);
        const apart = Math.abs(data[k] - data[0]) + Math.abs(data[k + 1] - data[1]) + Math.abs(data[k + 2] - data[2]);
        if (apart > 24) out[Math.floor(y / 16) * cells + Math.floor(x / 16)] += 1 / 256;
      }
    return out;
  }, n);
}

// Processor time in milliseconds that the browser and all its processes used so far; NaN where the system does not tell. Unlike
// the time on the clock it does not depend on what else the machine does.
export function processor_time(): number {
  if (!existsSync("/proc/self/stat")) return NaN;
  const children = new Map<number, number[]>(), used = new Map<number, number>();
  for (const pid of readdirSync("/proc").filter((n) => /^\d+$/.test(n)).map(Number)) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
      const parent = fields[1];
      children.set(parent, [...(children.get(parent) ?? []), pid]);
      used.set(pid, 10 * (fields[11] + fields[12])); // ticks of a hundredth of a second
    } catch {
      // It ended meanwhile.
    }
  }
  const below = (pid: number): number => (children.get(pid) ?? []).reduce((sum, child) => sum + (used.get(child) ?? 0) + below(child), 0);
  return below(process.pid);
}
