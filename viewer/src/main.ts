// Where the page starts: a report with its data inside, or the local server's page.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app.ts";
import type { RunDocument } from "./data/format.ts";
import { bytes_of_base64, inflate } from "./data/pack.ts";
import { Run } from "./data/run.ts";
import { h } from "./dom.ts";

declare global {
  interface Window {
    cardan?: unknown;
  }
}

async function embedded(): Promise<Run[]> {
  const documents = [...document.querySelectorAll<HTMLScriptElement>("script.cardan-run")];
  const columns = [...document.querySelectorAll<HTMLScriptElement>("script.cardan-columns")];
  return Promise.all(documents.map(async (script, k) => {
    const doc = JSON.parse(script.textContent ?? "") as RunDocument;
    const bytes = bytes_of_base64((columns[k].textContent ?? "").trim());
    return new Run(doc, bytes.length > 0 ? await inflate(bytes) : bytes);
  }));
}

async function start(): Promise<void> {
  const root = h("div", { id: "app" });
  document.body.append(root);
  try {
    const runs = await embedded();
    if (runs.length > 0) {
      const app = new App(runs, root);
      window.cardan = app;
      document.documentElement.dataset.ready = "yes";
    } else {
      root.append(h("p", { class: "empty" }, "This page holds no run."));
    }
  } catch (error) {
    root.replaceChildren(h("main", { class: "page" }, h("h1", {}, "This report cannot be shown"), h("p", {}, String(error)), h("p", { class: "muted" }, "A current Firefox, Chrome, Edge or Safari is needed.")));
    throw error;
  }
}

void start();
