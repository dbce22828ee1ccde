// The page of `cardan view`: a list of runs, and a run that is followed while it grows.
import type { RunDocument } from "./data/format.ts";
import { inflate, spectra_of } from "./data/pack.ts";
import { Run } from "./data/run.ts";
import { h } from "./dom.ts";

export interface Listed {
  id: string;
  name: string;
  title: string;
  status: string;
  rows?: number;
  settings?: string; // what was said beside the model file
  fault?: string;
}

const token = () => new URLSearchParams(location.search).get("token") ?? "";

async function ask(path: string): Promise<Response> {
  const answer = await fetch(path, { headers: { "X-Cardan-Token": token() } });
  if (!answer.ok) throw new Error(`${path}: ${(await answer.text()).trim()}`);
  return answer;
}

export const list_runs = async (): Promise<Listed[]> => (await ask("/api/runs")).json() as Promise<Listed[]>;

export async function load_run(id: string, segment: number | null): Promise<Run> {
  const answer = await ask(`/api/run/${id}${segment === null ? "" : `?segment=${segment}`}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const doc = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as RunDocument;
  return new Run(doc, await inflate(bytes.subarray(4 + length)), await spectra_of(doc));
}

// New rows of a running simulation, once a second, until it ends or the page goes elsewhere.
export function follow(run: Run, grown: () => void, ended: () => void): void {
  const next = async () => {
    const answer = await ask(`/api/run/${run.doc.id}/rows?segment=${run.doc.segment ?? 0}&from=${run.doc.rows}`);
    const rows = new Float64Array(await answer.arrayBuffer());
    if (rows.length > 0) {
      run.append(rows);
      grown();
    }
    if (answer.headers.get("X-Cardan-Status") === "running") setTimeout(() => void next().catch(ended), 1000);
    else ended();
  };
  setTimeout(() => void next().catch(ended), 1000);
}

export const link_to = (id: string, other?: string) => `?token=${token()}&run=${id}${other ? `&with=${other}` : ""}`;

export function run_list(runs: Listed[]): HTMLElement {
  const chosen = new Set<string>();
  const compare = h("a", { class: "button floating", hidden: true });
  const row = (run: Listed) => {
    const box: HTMLInputElement = h("input", { type: "checkbox", "aria-label": `Choose ${run.name} to compare`, onchange: () => {
      if (box.checked) chosen.add(run.id);
      else chosen.delete(run.id);
      compare.hidden = chosen.size < 2;
      const [a, ...others] = [...chosen];
      compare.textContent = chosen.size === 2 ? "Compare the two" : `Compare these ${chosen.size}`;
      compare.href = link_to(a, others.join(","));
    } });
    return h("tr", {}, h("td", {}, box), h("td", {}, run.fault ? run.name : h("a", { href: link_to(run.id) }, run.name || run.title)), h("td", {}, run.title, run.settings ? h("div", { class: "muted" }, run.settings) : null),
      h("td", {}, h("span", { class: `status ${run.status}` }, run.status)), h("td", {}, run.fault ?? String(run.rows ?? 0)));
  };
  return h("main", { class: "page", id: "page" }, h("h1", {}, "Runs"),
    runs.length === 0 ? h("p", { class: "empty" }, "No run here yet. cardan run MODEL makes one; this page finds it when it is loaded again.")
      : h("section", { class: "card" }, h("table", {}, h("thead", {}, h("tr", {}, ...["", "run", "model", "status", "rows"].map((x) => h("th", {}, x)))), h("tbody", {}, ...runs.map(row))), compare));
}
