// The model text with its colours; lines of an element light up with the element in the drawing, and the other way round.
import type { SceneInfo } from "../data/format.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import type { Target } from "../scene/drawing.ts";
import { change_text, changes_banner, changes_of } from "./changes.ts";

export function model_page(shared: Shared): HTMLElement {
  const { model, scene } = shared.runs[0].doc;
  const owners = owners_of(model.text, scene);
  const changed = changes_of(shared.runs[0]);
  const lines = model.text.replace(/\n$/, "").split("\n").map((text, k) => {
    const target = owners[k];
    const line = h("li", { class: target ? "line owned" : "line", "data-line": k + 1 }, ...coloured(text));
    for (const c of changed.filter(({ line: at }) => at === k + 1)) {
      line.classList.add("changed");
      line.append(h("mark", {}, `this run: ${change_text(c)}`));
    }
    if (target) {
      line.addEventListener("pointerenter", () => shared.hovered.set(target));
      line.addEventListener("pointerleave", () => shared.hovered.set(null));
    }
    return line;
  });
  shared.hovered.watch((target) => lines.forEach((line, k) => line.classList.toggle("lit", target !== null && owners[k]?.name === target.name && owners[k]?.kind === target.kind)));
  return h("main", { class: "page", id: "page" }, h("h1", {}, "Model"), h("p", { class: "muted" }, model.path), changes_banner(shared.runs[0]),
    model.text === "" ? h("p", { class: "empty" }, "The model text was not stored.") : h("ol", { class: "code", role: "region", "aria-label": "Model text" }, ...lines));
}

// The element that each line belongs to: from the table's header to the next header.
export function owners_of(text: string, scene: SceneInfo | null): (Target | null)[] {
  const lines = text.split("\n");
  const out: (Target | null)[] = lines.map(() => null);
  if (scene === null) return out;
  const marks: { line: number; target: Target }[] = [
    ...scene.bodies.map((b) => ({ line: b.line, target: { kind: "body", name: b.name } as Target })),
    ...scene.joints.map((j) => ({ line: j.line, target: { kind: "joint", name: j.name } as Target })),
    ...scene.springs.map((s) => ({ line: s.line, target: { kind: "spring", name: s.name } as Target })),
  ].filter((m) => m.line > 0 && m.line <= lines.length);
  const header = (k: number) => /^\s*\[/.test(lines[k]);
  for (const { line, target } of marks) {
    let k = line - 1;
    while (k > 0 && !header(k)) k--;
    do out[k++] = target;
    while (k < lines.length && !header(k));
  }
  return out;
}

const token = /(#.*$)|("(?:[^"\\]|\\.)*"|'[^']*')|(^\s*\[\[?[^\]]*\]\]?)|(^\s*[\w.-]+(?=\s*=))|(\b(?:true|false)\b)|([-+]?\b\d[\d_.]*(?:[eE][-+]?\d+)?\b)/g;
const kinds = ["comment", "string", "table", "key", "word", "number"];

// TOML in colours, line by line.
export function coloured(text: string): (Node | string)[] {
  const out: (Node | string)[] = [];
  let at = 0;
  for (const m of text.matchAll(token)) {
    const kind = kinds[m.slice(1).findIndex((part) => part !== undefined)];
    if (m.index > at) out.push(text.slice(at, m.index));
    out.push(h("span", { class: kind }, m[0]));
    at = m.index + m[0].length;
  }
  out.push(text.slice(at) || (out.length === 0 ? " " : ""));
  return out;
}
