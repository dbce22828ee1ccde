// Least and largest values of the channels over all steps, with their times, means and RMS.
import { format_number } from "../data/number.ts";
import type { Run } from "../data/run.ts";
import { pretty, shown } from "../data/units.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { card, number_at, text_at, tree, until_words } from "./parts.ts";

const first = ["drive", "reaction", "request", "contact", "force", "position"]; // what people come for
const most = 14;

interface Peak {
  name: string;
  unit: string;
  rank: number;
  size: number;
  share: number; // of the largest of its unit
  of: Record<string, unknown>;
}

export function peaks(run: Run, shared: Shared): HTMLElement | string {
  const all = Object.entries(tree(run.doc.summary.channels));
  if (all.length === 0) return "";
  const sizes = new Map<string, number>();
  const list: Peak[] = all.map(([name, of]) => {
    const size = Math.max(Math.abs(number_at(of, "least") ?? 0), Math.abs(number_at(of, "largest") ?? 0)), unit = text_at(of, "unit");
    sizes.set(unit, Math.max(sizes.get(unit) ?? 0, size));
    const rank = first.indexOf(run.find(name)?.quantity ?? "");
    return { name, unit, rank: rank < 0 ? first.length : rank, size, share: 0, of: tree(of) };
  });
  for (const p of list) p.share = p.size / (sizes.get(p.unit) || 1);
  const useful = list.filter((p) => p.rank < first.length && p.share > 1e-6).sort((a, b) => a.rank - b.rank || b.share - a.share);
  const few = first.flatMap((_, rank) => useful.filter((p) => p.rank === rank).slice(0, 6)).slice(0, most);
  const table = h("div", {});
  const render = (rows: Peak[]) => table.replaceChildren(h("table", {},
    h("thead", {}, h("tr", {}, ...["channel", "least", "at", "largest", "at", "mean", "RMS"].map((x) => h("th", { class: ["channel", "at"].includes(x) ? "" : "number" }, x)))), h("tbody", {}, ...rows.map((p) => row(p, run, shared)))));
  const more: HTMLButtonElement = h("button", { type: "button", hidden: list.length <= few.length, onclick: () => {
    render(list);
    more.hidden = true;
  } }, `All ${list.length} channels`);
  render(few.length > 0 ? few : list.slice(0, most));
  shared.units.watch(() => render(more.hidden ? list : few.length > 0 ? few : list.slice(0, most)));
  return card("Peaks", h("p", { class: "muted" }, `${until_words(run)}Over all steps and between them, whatever rows were stored. Means over time.`), table, more);
}

function row({ name, unit, of }: Peak, run: Run, { player, units }: Shared): HTMLElement {
  const { unit: seen, factor } = shown(unit, units.get());
  const channel = run.find(name);
  const value = (key: string) => {
    const stored = number_at(of, key), x = stored !== null && channel ? run.seen(channel, stored) : stored;
    return h("td", { class: "number" }, x === null ? "–" : `${format_number(x * factor, 5)} ${pretty(seen)}`);
  };
  const at = (key: string) => {
    const t = number_at(of, key);
    return h("td", {}, t === null ? "" : h("button", { type: "button", class: "stamp", onclick: () => player.seek(t) }, `${format_number(t, 5)} s`));
  };
  return h("tr", {}, h("td", {}, name), value("least"), at("t_least"), value("largest"), at("t_largest"), value("mean"), value("rms"));
}
