// The whole page: header, pages, clock.
import { fastest_swing } from "./data/pace.ts";
import type { Run } from "./data/run.ts";
import { families, type Preference, presets } from "./data/units.ts";
import { button, h, icon, icons, Value } from "./dom.ts";
import { Film, type FilmOptions } from "./film.ts";
import { key_help, listen } from "./keys.ts";
import { Motion, type Shared } from "./motion.ts";
import { diagnostics_page } from "./pages/diagnostics.ts";
import { manifest_page } from "./pages/manifest.ts";
import { mobility_page } from "./pages/mobility.ts";
import { model_page } from "./pages/model.ts";
import { analysis_pages, is_still, type Page } from "./pages/analysis.ts";
import { summary_page } from "./pages/summary.ts";
import { run_name } from "./pages/changes.ts";
import { Player } from "./player.ts";
import type { Target } from "./scene/drawing.ts";
import { type Theme, theme_of } from "./scene/theme.ts";
import { Transport } from "./transport.ts";
import { trust_line } from "./trust.ts";

function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`cardan.${key}`);
  } catch {
    return null;
  }
}

function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`cardan.${key}`, value);
  } catch {
    // A report opened from the disk may have no storage; nothing depends on it.
  }
}

export class App {
  readonly shared: Shared;
  readonly motion: Motion;
  readonly player: Player;
  private readonly tabs: HTMLButtonElement[] = [];
  private readonly pages: Page[];
  private readonly built: (HTMLElement | undefined)[] = [];
  private readonly body = h("div", { class: "body" });
  private shown = -1;
  private was_dark = false;
  fps = 0;

  private readonly stopped = new AbortController();
  private film_: Film | null = null;

  constructor(readonly runs: Run[], private readonly root: HTMLElement, home: string | null, analyses: string[], change: (analysis: number) => void) {
    const begin = Math.min(...runs.map((r) => r.begin)), end = Math.max(...runs.map((r) => r.end));
    this.player = new Player(begin, end, Math.max(...runs.map(fastest_swing)));
    const wanted = remembered("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.shared = { runs, player: this.player, theme: new Value<Theme>(theme_of(wanted === "dark")), units: new Value<Preference>(this.stored_units()), hovered: new Value<Target | null>(null),
      each_frame: [], at_end: [], look_at: (t) => this.look_at(t) };
    this.shared.theme.watch((t) => document.documentElement.classList.toggle("dark", t.dark));
    this.motion = new Motion(this.shared);
    this.pages = [
      { name: "Motion", make: () => this.motion.element }, ...analysis_pages(this.shared), { name: "Summary", make: () => summary_page(this.shared) },
      { name: "Mobility", make: () => mobility_page(this.shared) }, { name: "Diagnostics", make: () => diagnostics_page(this.shared) },
      { name: "Model", make: () => model_page(this.shared) }, { name: "Manifest", make: () => manifest_page(this.shared) },
    ];
    const transport = new Transport(runs[0], this.player);
    const help = this.help_dialog();
    root.replaceChildren(h("a", { class: "skip", href: "#page" }, "Skip to content"), h("div", {}, this.header(home, help, analyses, change), trust_line(runs[0].doc)), this.body, transport.element, help);
    document.title = `${runs[0].doc.title} – Cardan`;
    listen(this.player, transport, (k) => this.show(k), () => this.switch_theme(), () => help.showModal(), this.stopped.signal);
    window.addEventListener("beforeprint", () => this.print(true), { signal: this.stopped.signal });
    window.addEventListener("afterprint", () => this.print(false), { signal: this.stopped.signal });
    this.show(is_still(this.shared) ? 1 : 0);
    this.run_clock();
  }

  // Paper gets all pages, dark on white, one after the other.
  private print(on: boolean): void {
    const page = this.shown;
    if (on) {
      this.was_dark = this.shared.theme.get().dark;
      if (this.was_dark) this.shared.theme.set(theme_of(false));
      this.show(0);
      this.shown = page;
      this.motion.picture(true);
      this.body.replaceChildren(...this.pages.map((page, k) => (this.built[k] ??= page.make())));
      return;
    }
    this.motion.picture(false);
    this.shown = -1;
    this.show(page);
    if (this.was_dark) this.shared.theme.set(theme_of(true));
  }

  private look_at(t: number): void {
    this.player.playing.set(false);
    this.player.seek(t);
    this.show(0);
  }

  show(page: number): void {
    if (page === this.shown || page >= this.pages.length) return;
    this.shown = page;
    this.tabs.forEach((tab, k) => {
      tab.classList.toggle("on", k === page);
      tab.setAttribute("aria-selected", String(k === page));
    });
    const element = (this.built[page] ??= this.pages[page].make());
    this.body.replaceChildren(element);
    if (page === 0) this.motion.render_all();
    this.root.dataset.page = String(page);
  }

  dispose(): void {
    this.stopped.abort();
    this.motion.view?.dispose();
    for (const give_back of this.shared.at_end) give_back();
  }

  // A running simulation added rows.
  grown(): void {
    const [begin, end] = this.player.range;
    const at_end = this.player.time.get() >= end;
    this.player.set_range(begin, Math.max(end, ...this.runs.map((r) => r.end)));
    this.motion.grown();
    if (at_end && !this.player.playing.get()) this.player.seek(this.player.range[1]);
  }

  // For `cardan animate`: the page becomes the drawing alone. Answers how long the film takes.
  film(options: FilmOptions): number {
    this.stopped.abort();
    this.film_ = new Film(this.motion, this.player, options);
    return this.film_.seconds;
  }

  frame(part: number): string {
    return this.film_!.frame(part);
  }

  gif_frame(part: number, delay: number): boolean {
    return this.film_!.gif_frame(part, delay);
  }

  gif(): string {
    return this.film_!.gif();
  }

  switch_theme(): void {
    const dark = !this.shared.theme.get().dark;
    this.shared.theme.set(theme_of(dark));
    remember("theme", dark ? "dark" : "light");
  }

  private header(home: string | null, help: HTMLDialogElement, analyses: string[], change: (analysis: number) => void): HTMLElement {
    const { doc } = this.runs[0];
    const faults = doc.diagnostics.filter((d) => d.severity !== "note").length;
    const tab = (name: string, k: number) => {
      const b = h("button", { type: "button", role: "tab", onclick: () => this.show(k) }, name, name === "Diagnostics" && faults > 0 ? h("span", { class: `badge ${doc.status}` }, String(faults)) : null);
      this.tabs.push(b);
      return b;
    };
    const title = this.runs.length > 1 ? this.runs.map((r, k) => `${r.doc.title}, ${run_name(this.runs, k)}`).join("  ·  ") : doc.title;
    const theme = button("Dark or light (D)", { onclick: () => this.switch_theme() }, icon(icons.moon));
    this.shared.theme.watch((t) => theme.replaceChildren(icon(t.dark ? icons.sun : icons.moon)));
    const choice: HTMLSelectElement = h("select", { "aria-label": "Analysis", hidden: analyses.length < 2, onchange: () => change(Number(choice.value)) }, ...analyses.map((a, k) => h("option", { value: k }, a)));
    choice.value = String(doc.segment ?? 0);
    return h("header", { class: "top" },
      h("a", home === null ? { class: "brand" } : { class: "brand", href: home, title: "All runs" }, mark_of_cardan(), h("span", {}, "Cardan")),
      h("div", { class: "title" }, h("strong", {}, title), h("span", { class: `status ${doc.status}` }, doc.status), choice),
      h("nav", { role: "tablist", "aria-label": "Pages" }, ...this.pages.map((page, k) => tab(page.name, k))),
      h("div", { class: "tools" }, this.units_menu(), theme, button("Keys (?)", { onclick: () => help.showModal() }, "?")));
  }

  private stored_units(): Preference {
    try {
      return JSON.parse(remembered("units") ?? "{}") as Preference;
    } catch {
      return {};
    }
  }

  private units_menu(): HTMLElement {
    const { units } = this.shared;
    const selects = families.map((f) => {
      const select: HTMLSelectElement = h("select", { onchange: () => set({ ...units.get(), [f.si]: select.value }) }, ...f.units.map((u) => h("option", { value: u.name }, u.name)));
      return { family: f, select };
    });
    const set = (preference: Preference) => {
      units.set(preference);
      remember("units", JSON.stringify(preference));
    };
    units.watch((p) => selects.forEach(({ family, select }) => (select.value = p[family.si] ?? family.si)));
    return h("details", { class: "dropdown" }, h("summary", { title: "Units", "aria-label": "Units" }, icon(icons.sliders), h("span", {}, "Units")),
      h("div", { class: "menu units" },
        h("div", { class: "presets" }, ...Object.entries(presets).map(([name, p]) => h("button", { type: "button", onclick: () => set({ ...p }) }, name === "SI" ? "SI" : "mm, °, rpm"))),
        ...selects.map(({ family, select }) => h("label", {}, h("span", {}, family.label), select))));
  }

  private help_dialog(): HTMLDialogElement {
    const dialog: HTMLDialogElement = h("dialog", { class: "help" }, h("h2", {}, "Keys"), h("dl", {}, ...key_help.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)])),
      h("p", { class: "muted" }, "Drag in a plot to zoom, double-click to see all. Click a joint for its reactions, a body for its path."), h("button", { type: "button", onclick: () => dialog.close() }, "Close"));
    return dialog;
  }

  private run_clock(): void {
    let frames = 0, since = performance.now();
    const tick = (now: number) => {
      this.player.tick(now);
      if (this.shown === 0) this.motion.draw(now);
      for (const move of this.shared.each_frame) move(now);
      frames++;
      if (now - since > 500) {
        this.fps = (1000 * frames) / (now - since);
        frames = 0;
        since = now;
      }
      if (!this.stopped.signal.aborted) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}

function mark_of_cardan(): SVGSVGElement {
  const mark = icon("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 12 19 7M12 12m-2.5 0a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0");
  mark.classList.add("logo");
  return mark;
}
