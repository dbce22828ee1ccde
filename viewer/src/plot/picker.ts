// The list of channels: searched by words, grouped by body, joint and the like.
import type { Channel, Run } from "../data/run.ts";
import { pretty, shown, type Preference } from "../data/units.ts";
import { button, h, icon, icons } from "../dom.ts";
import type { Panel } from "./panel.ts";

const most = 300; // entries shown at once

export class Picker {
  readonly element: HTMLElement;
  private readonly search = h("input", { type: "search", placeholder: "Search: crank angle, reaction, N m …", "aria-label": "Search channels", oninput: () => this.render() });
  private readonly list = h("div", { class: "groups" });
  private readonly count = h("p", { class: "count", role: "status" });
  private panel: Panel | null = null;

  constructor(private readonly run: Run, private readonly units: () => Preference) {
    this.element = h("aside", { class: "picker", hidden: true, "aria-label": "Channels" },
      h("header", {}, h("h2", {}, "Channels"), button("Close the list", { onclick: () => this.close() }, icon(icons.close))),
      this.search, this.own(), this.count, this.list);
    this.element.addEventListener("keydown", (e) => {
      e.stopPropagation();
      if (e.key === "Escape") this.close();
    });
  }

  open(panel: Panel, words = ""): void {
    this.panel = panel;
    this.search.value = words;
    this.element.hidden = false;
    this.render();
    this.search.focus();
  }

  close(): void {
    this.element.hidden = true;
    this.panel = null;
  }

  refresh(): void {
    if (!this.element.hidden) this.render();
  }

  // A formula of channels becomes a curve of the plot.
  private own(): HTMLElement {
    const fault = h("p", { class: "fault-text", role: "alert", hidden: true });
    const input: HTMLInputElement = h("input", { type: "text", placeholder: "hypot(pin.fx, pin.fy)/1000", "aria-label": "Own formula of channels", spellcheck: "false" });
    const form = h("form", { class: "formula", onsubmit: (e: Event) => {
      e.preventDefault();
      const name = `= ${input.value.trim()}`;
      try {
        this.run.find(name) ?? this.run.define(name);
        if (!this.panel?.has(name)) this.panel?.toggle(name);
        input.value = "";
        fault.hidden = true;
      } catch (error) {
        fault.textContent = (error as Error).message;
        fault.hidden = false;
      }
    } }, h("span", {}, "="), input, h("button", { type: "submit" }, "Add"));
    return h("details", { class: "own" }, h("summary", {}, "Own formula"), form, fault, h("p", { class: "muted" }, "+ − * / ^ and hypot, abs, sqrt, sin, cos, atan2, min, max …; t is the time. Names with blanks stand in quotes: 'main bearing.first.fx'."));
  }

  private render(): void {
    const found = match(this.run.channels, this.search.value);
    const groups = new Map<string, Channel[]>();
    for (const c of found.slice(0, most)) groups.set(c.element, [...(groups.get(c.element) ?? []), c]);
    const open = this.search.value.trim() !== "" || groups.size <= 3;
    this.count.textContent = found.length > most ? `${found.length} channels, the first ${most} shown: add a word to narrow the search.` : `${found.length} of ${this.run.channels.length} channels`;
    this.list.replaceChildren(...[...groups].map(([element, channels]) => {
      const chosen = channels.filter((c) => this.panel?.has(c.name)).length;
      const [kind, ...name] = element.split(" ");
      return h("details", { open: open || chosen > 0 },
        h("summary", {}, h("span", { class: "kind" }, element === "" ? "system" : kind), h("b", {}, element === "" ? "the whole system" : name.join(" ")), h("span", { class: "number" }, chosen > 0 ? `${chosen} of ${channels.length}` : String(channels.length))),
        h("ul", {}, ...channels.map((c) => this.entry(c, element))));
    }));
    if (found.length === 0) this.list.replaceChildren(h("p", { class: "empty" }, "No channel has all these words. Names, kinds and units are searched."));
  }

  private entry(c: Channel, element: string): HTMLElement {
    const box: HTMLInputElement = h("input", { type: "checkbox", onchange: () => {
      this.panel?.toggle(c.name);
      box.checked = this.panel?.has(c.name) ?? false;
    } });
    box.checked = this.panel?.has(c.name) ?? false;
    const own = element.split(" ").slice(1).join(" ");
    const short = own !== "" && c.name.startsWith(`${own}.`) ? c.name.slice(own.length + 1) : c.name;
    return h("li", {}, h("label", { title: c.name }, box, h("span", {}, short, this.run.not_unique(c.name) && h("strong", { class: "open", title: "not unique" }, " *")), h("em", {}, c.quantity), h("span", { class: "unit" }, pretty(shown(c.unit, this.units()).unit))));
  }
}

// Channels that contain every word, in name, element, quantity or unit.
export function match(channels: Channel[], words: string): Channel[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((w) => w !== "");
  return channels.filter((c) => {
    const text = `${c.name} ${c.element} ${c.quantity} ${c.unit}`.toLowerCase();
    return wanted.every((w) => text.includes(w));
  });
}
