// The whole page: header, pages, clock.
import { fastest_swing } from "./data/pace.ts";
import type { Run } from "./data/run.ts";
import { families, type Preference, presets } from "./data/units.ts";
import { button, h, icon, icons, Value } from "./dom.ts";
import { Film, type FilmOptions } from "./film.ts";
import { key_help, listen } from "./keys.ts";
import { Motion, type Shared } from "./motion.ts";
import { checked, from_hash, type Layout, to_hash } from "./layout.ts";
import { make_paper } from "./paper.ts";
import { diagnostics_page } from "./pages/diagnostics.ts";
import { equations_page, has_equations } from "./pages/equations.ts";
import { manifest_page } from "./pages/manifest.ts";
import { mobility_page } from "./pages/mobility.ts";
import { model_page } from "./pages/model.ts";
import { analysis_pages, is_still, type Page } from "./pages/analysis.ts";
import { summary_page } from "./pages/summary.ts";
import { full_name, one_title } from "./pages/changes.ts";
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
  fps = 0; // frames a second, of the last half second
  script_ms = 0; // of this page's own script in a frame, mean of the same frames

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
      { name: "Mobility", make: () => mobility_page(this.shared) }, ...(has_equations(this.shared) ? [{ name: "Equations", make: () => equations_page(this.shared) }] : []), { name: "Diagnostics", make: () => diagnostics_page(this.shared) },
      { name: "Model", make: () => model_page(this.shared) }, { name: "Manifest", make: () => manifest_page(this.shared) },
    ];
    const transport = new Transport(runs[0], this.player);
    const help = this.help_dialog();
    root.replaceChildren(h("a", { class: "skip", href: "#page" }, "Skip to content"), h("div", {}, this.header(home, help, analyses, change), trust_line(runs)), this.body, transport.element, help);
    document.title = `${runs[0].doc.title} – Cardan`;
    listen(this.player, transport, (k) => this.show(k), () => this.switch_theme(), () => help.showModal(), this.stopped.signal);
    window.addEventListener("beforeprint", () => this.print(true), { signal: this.stopped.signal });
    window.addEventListener("afterprint", () => this.print(false), { signal: this.stopped.signal });
    this.show(is_still(this.shared) && !runs[0].doc.asked ? 1 : 0);
    this.arrange(from_hash(location.hash) ?? this.kept_layout());
    this.motion.on_layout = () => this.keep_layout();
    this.run_clock();
  }

  private get layout_key(): string {
    return `layout.${this.runs.map((r) => r.doc.title).join("|")}`;
  }

  private kept_layout(): Layout | null {
    try {
      return checked(JSON.parse(remembered(this.layout_key) ?? "null"));
    } catch {
      return null;
    }
  }

  get layout(): Layout {
    const time = this.motion.panels.find((p) => p.spec.mode === "time")?.seen ?? null;
    const [begin, end] = this.player.range;
    const zoomed = time !== null && (Math.abs(time[0] - begin) > 1e-9 * (end - begin) || Math.abs(time[1] - end) > 1e-9 * (end - begin));
    return { page: this.pages[this.shown]?.name, plots: checked({ plots: this.motion.panels.map((p) => p.spec) })!.plots, cursors: this.motion.cursors.get(), range: zoomed ? time : null, follow: this.motion.followed.get(), look: this.motion.look.get(), units: this.shared.units.get() };
  }

  // The address of this page with all that is arranged in it, and the time shown.
  get link(): string {
    return `${location.href.split("#")[0]}${to_hash({ ...this.layout, t: this.player.time.get() })}`;
  }

  private waiting = 0;

  private keep_layout(): void {
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => {
      if (!this.stopped.signal.aborted) remember(this.layout_key, JSON.stringify({ ...this.layout, page: undefined, units: undefined }));
    }, 300);
  }

  private arrange(layout: Layout | null): void {
    if (layout === null) return;
    const { motion, shared } = this, run = this.runs[0];
    const plots = (layout.plots ?? []).filter((p) => p.curves.some((c) => run.find(c.channel)));
    if (layout.units) shared.units.set(layout.units);
    if (plots.length > 0) motion.replace(plots);
    const fits = (r: [number, number]) => r[0] < r[1] && r[0] >= run.begin - 1e-9 && r[1] <= run.end * (1 + 1e-9) + 1e-9;
    if (layout.cursors) motion.cursors.set(layout.cursors);
    if (layout.range && fits(layout.range)) for (const panel of motion.panels) panel.set_range(layout.range);
    if (layout.follow && run.doc.scene?.bodies.some((b) => b.name === layout.follow)) motion.followed.set(layout.follow);
    if (layout.look) motion.look.set(layout.look);
    if (layout.t !== undefined) this.player.seek(layout.t);
    const page = this.pages.findIndex((p) => p.name === layout.page);
    if (page >= 0) this.show(page);
  }

  // For `cardan report --pdf`: the page becomes two sheets.
  paper(): boolean {
    this.stopped.abort();
    make_paper(this);
    return true;
  }

  private async share(b: HTMLButtonElement): Promise<void> {
    const link = this.link;
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      b.title = "Copied";
    } catch {
      b.title = "The address of this page holds the layout now: copy it"; // pages from the disk may have no clipboard
    }
    b.classList.add("on");
    setTimeout(() => b.classList.remove("on"), 1200);
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
    const several = this.runs.map((_, k) => full_name(this.runs, k)).join("  ·  "), common = one_title(this.runs);
    const title = this.runs.length === 1 ? doc.title : common === null ? several : `${several}  ·  ${common}`;
    const theme = button("Dark or light (D)", { onclick: () => this.switch_theme() }, icon(icons.moon));
    this.shared.theme.watch((t) => theme.replaceChildren(icon(t.dark ? icons.sun : icons.moon)));
    const link: HTMLButtonElement = button("Link to this page as it is arranged", { onclick: () => void this.share(link) }, icon(icons.link));
    const choice: HTMLSelectElement = h("select", { "aria-label": "Analysis", hidden: analyses.length < 2, onchange: () => change(Number(choice.value)) }, ...analyses.map((a, k) => h("option", { value: k }, a)));
    choice.value = String(doc.segment === -1 ? analyses.length - 1 : doc.segment ?? 0);
    return h("header", { class: "top" },
      h("a", home === null ? { class: "brand" } : { class: "brand", href: home, title: "All runs" }, mark_of_cardan(), h("span", {}, "Cardan")),
      h("div", { class: "title" }, h("strong", { title }, title), h("span", { class: `status ${doc.status}` }, doc.status), choice),
      h("nav", { role: "tablist", "aria-label": "Pages" }, ...this.pages.map((page, k) => tab(page.name, k))),
      h("div", { class: "tools" }, this.units_menu(), link, theme, button("Keys (?)", { onclick: () => help.showModal() }, "?")));
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
    let frames = 0, since = performance.now(), spent = 0;
    const tick = (now: number) => {
      const begun = performance.now();
      this.player.tick(now);
      if (this.shown === 0) this.motion.draw(now);
      for (const move of this.shared.each_frame) move(now);
      frames++;
      spent += performance.now() - begun;
      if (now - since > 500) {
        this.fps = (1000 * frames) / (now - since);
        this.script_ms = spent / frames;
        spent = 0;
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
