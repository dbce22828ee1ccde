// Two sheets to hand over: what was run and the results with a picture, then the plots and how far to trust the numbers.
import type { App } from "./app.ts";
import { h } from "./dom.ts";
import { analysis_pages, is_still } from "./pages/analysis.ts";
import { answers, answers_card } from "./pages/answers.ts";
import { changes_banner } from "./pages/changes.ts";
import { headline, what } from "./pages/summary.ts";
import { theme_of } from "./scene/theme.ts";
import { trust_words } from "./trust.ts";

const most_plots = 4;

// The page becomes the two sheets.
export function make_paper(app: App): void {
  const { shared, motion, runs, player } = app, [run] = runs;
  shared.theme.set(theme_of(false));
  const found = answers(run);
  const telling = [...found.drives, ...found.reactions, ...found.ranges][0];
  player.seek(telling ? (run.begin + run.end) / 3 : run.begin);
  const { view } = motion;
  let picture: HTMLElement | null = null;
  if (view) {
    view.shows.labels = false;
    document.body.append(view.element);
    view.set_size(1000, 430);
    view.set_time(player.time.get());
    view.draw_now();
    picture = h("figure", {}, h("img", { alt: "The mechanism", width: 1000, height: 430, src: view.canvas.toDataURL("image/png") }), h("figcaption", {}, `t = ${player.time.get().toPrecision(4)} s`));
    view.element.remove();
  }
  const plots = motion.panels.slice(0, most_plots).map((panel) => {
    const figure = h("figure", { class: "plot" });
    figure.innerHTML = panel.svg(720, 200);
    return figure;
  });
  // Where there is no motion: what was found.
  const found_pages = is_still(shared) ? analysis_pages(shared).map((p) => p.make()) : [];
  for (const page of found_pages) for (const stage of page.querySelectorAll(".theatre")) stage.closest(".card")?.remove(); // a mode that moves needs a screen
  const second = found_pages.length > 0 ? found_pages.flatMap((page) => Array.from(page.childNodes)) : [h("h2", {}, "Plots"), ...plots];
  document.body.replaceChildren(h("div", { class: "paper" },
    h("section", { class: "sheet" }, headline(run), changes_banner(run), picture, answers_card(run, shared, 5, true)),
    h("section", { class: "sheet" }, ...second, h("div", { class: "cards" }, what(run), h("section", { class: "card" }, h("h2", {}, "How far to trust it"), h("p", {}, trust_words(run.doc)))))));
  // What is longer than a sheet becomes smaller, so that there are two.
  for (const sheet of document.querySelectorAll<HTMLElement>(".sheet")) {
    const inner = h("div", { class: "inner" }, ...(Array.from(sheet.childNodes) as Node[]));
    sheet.append(inner);
    const part = sheet.clientHeight / inner.scrollHeight;
    if (part < 1) inner.style.cssText = `transform: scale(${part}); transform-origin: top center`;
  }
  document.documentElement.dataset.paper = "yes";
}
