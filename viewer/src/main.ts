// Where the page starts: a report with its data inside, or the local server's page.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app.ts";
import type { RunDocument } from "./data/format.ts";
import { bytes_of_base64, inflate, spectra_of } from "./data/pack.ts";
import { chain_of, joined } from "./data/join.ts";
import { Run } from "./data/run.ts";
import { h } from "./dom.ts";
import { follow, link_to, list_runs, load_run, run_list } from "./server.ts";

declare global {
  interface Window {
    cardan?: App;
  }
}

// Runs come in order; analyses of one run share its id, and the last with a course is shown first.
function embedded(): { doc: RunDocument; load: () => Promise<Run> }[] {
  const documents = [...document.querySelectorAll<HTMLScriptElement>("script.cardan-run")];
  const columns = [...document.querySelectorAll<HTMLScriptElement>("script.cardan-columns")];
  return documents.map((script, k) => {
    const doc = JSON.parse(script.textContent ?? "") as RunDocument;
    const load = async () => {
      const bytes = bytes_of_base64((columns[k].textContent ?? "").trim());
      return new Run({ ...doc }, bytes.length > 0 ? await inflate(bytes) : bytes, await spectra_of(doc));
    };
    return { doc, load };
  });
}

function shown(root: HTMLElement, runs: Run[], home: string | null, analyses: string[], change: (k: number) => void): App {
  window.cardan?.dispose();
  const app = new App(runs, root, home, analyses, change);
  window.cardan = app;
  document.documentElement.dataset.ready = "yes";
  return app;
}

async function show_report(root: HTMLElement): Promise<boolean> {
  const parts = embedded();
  if (parts.length === 0) return false;
  if (new Set(parts.map((p) => p.doc.id)).size > 1) {
    shown(root, await Promise.all(parts.map((p) => p.load())), null, [], () => {});
    return true;
  }
  const names = parts.map((p, k) => `${k + 1}: ${p.doc.analysis || "analysis"}`);
  const loaded = parts.length > 1 ? await Promise.all(parts.map((p) => p.load())) : [];
  const chain = chain_of(loaded.map((r) => ({ begin: r.begin, end: r.end, rows: r.time.length })));
  if (chain.length > 1) names.push("all, on one time line");
  const open = async (k: number) => void shown(root, [k === parts.length ? joined(chain.map((c) => loaded[c])) : await parts[k].load()], null, names, (n) => void open(n));
  let first = parts.length - 1;
  while (first > 0 && parts[first].doc.rows < 2) first--;
  if (chain.length > 1) first = parts.length;
  await open(first);
  return true;
}

async function show_server(root: HTMLElement): Promise<void> {
  const query = new URLSearchParams(location.search);
  const [id, other] = [query.get("run"), query.get("with")];
  const home = `?token=${query.get("token") ?? ""}`;
  const list = id === null ? await list_runs() : [];
  if (id === null && list.length !== 1) {
    root.replaceChildren(h("div", {}), run_list(list));
    document.documentElement.dataset.ready = "yes";
    return;
  }
  const first = id ?? list[0].id;
  const open = async (segment: number | null) => {
    const runs = [await load_run(first, segment), ...(await Promise.all((other ?? "").split(",").filter((x) => x !== "").map((x) => load_run(x, null))))];
    const names = Array.from({ length: runs[0].doc.segments ?? 1 }, (_, k) => `analysis ${k + 1}`);
    const app = shown(root, runs, home, other ? [] : names, (k) => void open(k));
    if (runs[0].doc.status === "running") follow(runs[0], () => app.grown(), () => location.replace(link_to(first, other ?? undefined)));
  };
  await open(null);
}

async function start(): Promise<void> {
  const root = h("div", { id: "app" });
  document.body.append(root);
  try {
    if (document.querySelector("script.cardan-server")) await show_server(root);
    else if (!(await show_report(root))) root.append(h("p", { class: "empty" }, "This page holds no run."));
  } catch (error) {
    root.replaceChildren(h("main", { class: "page" }, h("h1", {}, "This report cannot be shown"), h("p", {}, String(error)), h("p", { class: "muted" }, "A current Firefox, Chrome, Edge or Safari is needed.")));
    throw error;
  }
}

void start();
