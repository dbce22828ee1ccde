// Small motions: eigenvalues in the complex plane and along a motion, mode shapes that move, root loci, frequency response.
import { type Complex, drawn_size, leading_body, type Mode, mode_pose } from "../data/modes.ts";
import { format_number } from "../data/number.ts";
import { first_pose, posed_run } from "../data/posed.ts";
import type { Run } from "../data/run.ts";
import { button, h, icon, icons } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { chart, type ChartLine, type ChartMark } from "../plot/chart.ts";
import { measure } from "../scene/measure.ts";
import { Poses } from "../scene/pose.ts";
import { View } from "../scene/view.ts";
import { card, type Cell, facts, list, live_page, number_at, table, text_at, tree } from "./parts.ts";
import { plain } from "./pictures.ts";

export function has_modes(run: Run): boolean {
  return list(run.doc.summary.eigenvalues).length > 0;
}

function complexes(value: unknown): Complex[] {
  return list(value).map((x) => list(x)).filter((x) => typeof x[0] === "number" && typeof x[1] === "number") as Complex[];
}

// By frequency, with a name of its own: its number, its speed, and the body that moves most.
function modes_of(run: Run): { mode: Mode; name: string }[] {
  const scene = run.doc.scene;
  const all = list(run.doc.summary.modes) as unknown as Mode[];
  const moving = all.filter((m) => m.omega > 0);
  return moving.map((mode, k) => {
    const [re, im] = mode.eigenvalue, body = scene === null ? "" : leading_body(mode, scene);
    const speed = im !== 0 ? `${format_number(mode.frequency, 4)} Hz` : `${re < 0 ? "decays" : "grows"}, ${format_number(re, 4)} 1/s`;
    return { mode, name: `Mode ${k + 1}: ${speed}${body && scene!.bodies.length > 1 ? `, mostly ${body}` : ""}` };
  });
}

export function modes_page(shared: Shared): HTMLElement {
  const run = shared.runs[0], theatre = stage(run, shared);
  return live_page(shared, () => [h("h1", {}, "Small motions"), verdict(run), theatre, eigenvalues(run, shared), along(run, shared), locus(run, shared), response(run, shared), slopes(run)]);
}

function verdict(run: Run): HTMLElement {
  const s = run.doc.summary, stability = text_at(s, "stability"), zero = number_at(s, "neutral") ?? 0;
  const changing = stability === "" ? "a motion: its equations change with time" : "a motion; its linear equations do not change with time";
  const state = { equilibrium: "an equilibrium", "steady motion": "a steady motion", motion: changing }[text_at(s, "about")] ?? "a state";
  return h("p", {}, `About ${state}. `, stability ? h("span", { class: `kind ${stability}` }, stability) : h("span", { class: "muted" }, "Stability is not judged."),
    zero > 0 ? h("span", { class: "muted" }, ` ${zero} eigenvalue${zero === 1 ? " is" : "s are"} zero.`) : "");
}

// The mechanism swinging in one mode, and the list to choose from.
function stage(run: Run, shared: Shared): HTMLElement | null {
  const scene = run.doc.scene, modes = modes_of(run);
  if (scene === null || scene.bodies.length === 0 || modes.length === 0) return null;
  const rows = 48, from = first_pose(run);
  const { extent } = measure(scene, new Poses(posed_run(run, [from]), scene));
  const place = h("div", { class: "theatre" });
  const caption = h("p", { role: "status", class: "muted" });
  let view: View | null = null, chosen = -1, larger = 1, playing = !matchMedia("(prefers-reduced-motion: reduce)").matches, phase = 0, last = 0;
  const show = (k: number) => {
    chosen = k;
    const { mode, name } = modes[k];
    const size = larger * drawn_size(mode, scene, extent);
    try {
      const poses = Array.from({ length: rows + 1 }, (_, i) => mode_pose(mode, from, size, (2 * Math.PI * i) / rows));
      view?.dispose();
      view = new View([{ run: posed_run(run, poses), scene }], shared.theme.get(), { ...plain });
      place.replaceChildren(view.element);
    } catch {
      place.replaceChildren(h("p", { class: "empty" }, "This browser shows no 3-D graphics (WebGL), so modes do not move here."));
    }
    buttons.forEach((b, i) => {
      b.classList.toggle("on", i === k);
      b.setAttribute("aria-pressed", String(i === k));
    });
    caption.textContent = `${name}, damping ratio ${format_number(mode.damping_ratio, 4)}. Not to scale in size and time.`;
  };
  const buttons = modes.slice(0, 60).map(({ name }, k) => h("button", { type: "button", class: "mode", "aria-pressed": "false", onclick: () => show(k) }, name));
  const play = button("Play or pause the mode", { "aria-pressed": String(playing), onclick: () => {
    playing = !playing;
    play.replaceChildren(icon(playing ? icons.pause : icons.play));
    play.setAttribute("aria-pressed", String(playing));
  } }, icon(playing ? icons.pause : icons.play));
  const size = h("input", { type: "range", min: 0.2, max: 4, step: 0.1, value: 1, "aria-label": "Size of the mode", oninput: () => {
    larger = Number(size.value);
    show(chosen);
  } });
  shared.theme.watch((t) => view?.set_theme(t));
  shared.at_end.push(() => view?.dispose());
  shared.each_frame.push((now) => {
    if (view === null || !place.isConnected) {
      last = 0;
      return;
    }
    if (playing) {
      const turn = 2200; // milliseconds for a period, whatever its frequency is
      phase = (phase + (last === 0 ? 0 : (now - last) / turn)) % 1;
      view.set_time(phase * rows);
    }
    last = now;
    view.draw(now);
  });
  show(0);
  return card("Mode shapes", h("div", { class: "modes" }, h("div", {}, place, h("div", { class: "modebar" }, play, h("label", {}, "size ", size)), caption),
    h("div", { class: "modelist", role: "group", "aria-label": "Modes" }, ...buttons, modes.length > 60 && h("p", { class: "muted" }, `The first 60 of ${modes.length}.`))));
}

function colour_of(re: number, size: number, shared: Shared): string {
  const { palette, force } = shared.theme.get();
  return re > 1e-9 * size ? force : palette[0];
}

// lambda = re + i im: frequency |lambda|, damping ratio -re/|lambda|.
function eigenvalues(run: Run, shared: Shared): HTMLElement {
  const pairs = complexes(run.doc.summary.eigenvalues);
  const most = Math.max(...pairs.map(([re, im]) => Math.hypot(re, im)));
  const marks = pairs.map(([re, im]): ChartMark => ({ x: re, y: im, colour: colour_of(re, most, shared), text: `${format_number(re, 6)} ${im < 0 ? "−" : "+"} ${format_number(Math.abs(im), 6)} i 1/s` }));
  const rows = pairs.filter(([, im]) => im >= 0).slice(0, 200).map(([re, im]): Cell[] => {
    const size = Math.hypot(re, im);
    return [format_number(re, 8), format_number(im, 8), im > 0 ? format_number(size / (2 * Math.PI), 6) : "–", im > 0 && size > 0 ? format_number(-re / size, 4) : "–", re > 1e-9 * most ? "grows" : re < -1e-9 * most ? "decays" : "stays"];
  });
  return card("Eigenvalues", chart({ label: "Eigenvalues in the complex plane", x: "real part [1/s]", y: "imaginary part [1/s]", lines: [], marks, level: 0, upright: 0, tall: true }),
    h("p", { class: "muted" }, "Left of the upright line motions decay, right of it they grow."),
    table(["real part [1/s]", "imaginary part [1/s]", "frequency [Hz]", "damping ratio", "motion"], rows));
}

// Every eigenvalue as a line, from a ring at the first value of the parameter to a dot at the last.
function locus(run: Run, shared: Shared): HTMLElement | null {
  const found = run.doc.summary.root_locus, points = list(tree(found).points);
  if (points.length === 0) return null;
  const { palette } = shared.theme.get(), name = text_at(found, "parameter"), unit = text_at(found, "unit");
  const values = points.map((p) => number_at(p, "value") ?? NaN), all = points.map((p) => complexes(tree(p).eigenvalues));
  const axis = `${name}${unit ? ` [${unit}]` : ""}`;
  const lines: ChartLine[] = [], parts: ChartLine[] = [], marks: ChartMark[] = [];
  all[0].forEach((_, k) => {
    const at = (i: number): Complex => all[i][k] ?? [NaN, NaN], colour = palette[k % palette.length];
    lines.push({ name: "", x: all.map((_, i) => at(i)[0]), y: all.map((_, i) => at(i)[1]), colour });
    parts.push({ name: "", x: values, y: all.map((_, i) => at(i)[0]), colour });
    for (const i of [0, all.length - 1]) marks.push({ x: at(i)[0], y: at(i)[1], colour, open: i === 0, text: `${name} = ${format_number(values[i], 5)} ${unit}` });
  });
  const changes = list(tree(found).changes);
  return card(`Root locus over ${name}`,
    chart({ label: `Eigenvalues over ${name} in the complex plane`, x: "real part [1/s]", y: "imaginary part [1/s]", lines, marks, level: 0, upright: 0, tall: true }),
    h("p", { class: "muted" }, `Rings: ${name} = ${format_number(values[0], 6)}${unit ? ` ${unit}` : ""}, dots: ${format_number(values[values.length - 1], 6)}${unit ? ` ${unit}` : ""}.`),
    chart({ label: `Real parts over ${name}`, x: axis, y: "real part [1/s]", lines: parts, level: 0, marks: changes.map((c) => ({ x: number_at(c, "value") ?? NaN, y: 0, colour: shared.theme.get().force, text: `${text_at(c, "from")} below, ${text_at(c, "to")} above` })) }),
    changes.length > 0 ? table([axis, "below", "above"], changes.map((c) => [format_number(number_at(c, "value"), 10), text_at(c, "from"), text_at(c, "to")])) : h("p", { class: "muted" }, `Everywhere ${text_at(points[0], "stability") || "not judged"}.`));
}

// Along a motion: the eigenvalues at each of its times, as dots since they are in no order from one time to the next.
function along(run: Run, shared: Shared): HTMLElement | null {
  const points = list(run.doc.summary.along);
  if (points.length === 0) return null;
  const colour = shared.theme.get().palette[0], real: ChartMark[] = [], imaginary: ChartMark[] = [];
  const rows = points.map((p): Cell[] => {
    const t = number_at(p, "t") ?? NaN, pairs = complexes(tree(p).eigenvalues), when = `t = ${format_number(t, 6)} s`;
    for (const [re, im] of pairs) {
      real.push({ x: t, y: re, colour, text: `${when}: ${format_number(re, 6)} 1/s` });
      if (im >= 0) imaginary.push({ x: t, y: im, colour, text: `${when}: ${format_number(im, 6)} 1/s` });
    }
    return [format_number(t, 8), text_at(p, "about"), format_number(Math.max(...pairs.map(([re]) => re)), 8), format_number(Math.max(...pairs.map(([, im]) => im)), 8), text_at(p, "stability") || "not judged"];
  });
  return card("Along the motion",
    chart({ label: "Real parts of the eigenvalues over time", x: "t [s]", y: "real part [1/s]", lines: [], marks: real, level: 0 }),
    chart({ label: "Imaginary parts of the eigenvalues over time", x: "t [s]", y: "imaginary part [1/s]", lines: [], marks: imaginary, level: 0 }),
    h("p", { class: "muted" }, "Eigenvalues about a motion hold for times in which they change little. The first part of this page is the last of these times."),
    table(["t [s]", "about", "largest real part [1/s]", "largest imaginary part [1/s]", "stability"], rows.slice(0, 300)));
}

// Size and phase of every output for every input.
function response(run: Run, shared: Shared): HTMLElement | null {
  const points = list(run.doc.summary.frequency_response);
  if (points.length === 0) return null;
  const { palette } = shared.theme.get();
  const inputs = list(run.doc.summary.inputs), outputs = list(run.doc.summary.outputs);
  const f = points.map((p) => number_at(p, "frequency") ?? NaN);
  const sizes: ChartLine[] = [], phases: ChartLine[] = [];
  outputs.forEach((o, r) => inputs.forEach((u, c) => {
    const g = points.map((p) => complexes(list(tree(p).response)[r])[c] ?? [NaN, NaN]);
    const colour = palette[sizes.length % palette.length], name = `${text_at(o, "name")} over ${text_at(u, "name")}`;
    const dots = f.length < 3;
    sizes.push({ name, x: f, y: g.map(([re, im]) => Math.hypot(re, im)), colour, dots });
    phases.push({ name, x: f, y: g.map(([re, im]) => (Math.atan2(im, re) * 180) / Math.PI), colour, dots });
  }));
  const known = sizes.flatMap((l) => l.y).filter((v) => v > 0);
  const log = Math.max(...known) > 50 * Math.min(...known);
  return card("Frequency response", chart({ label: "Size of the response", x: "frequency [Hz]", y: "size", lines: sizes, log }), chart({ label: "Phase of the response", x: "frequency [Hz]", y: "phase [°]", lines: phases }),
    facts([["A B C D", "linear.m and the CSV files beside the report"]]));
}

function slopes(run: Run): HTMLElement | null {
  const all = list(run.doc.summary.eigenvalue_sensitivities);
  if (all.length === 0) return null;
  const pairs = complexes(run.doc.summary.eigenvalues);
  const text = ([re, im]: Complex) => (im === 0 ? format_number(re, 6) : `${format_number(re, 6)} ${im < 0 ? "−" : "+"} ${format_number(Math.abs(im), 6)} i`);
  const rows = all.flatMap((by) => complexes(tree(by).derivatives).flatMap((d, k): Cell[][] => (pairs[k] && pairs[k][1] >= 0 && (pairs[k][0] !== 0 || pairs[k][1] !== 0) ? [[text_at(by, "parameter"), text(pairs[k]), text(d), text_at(by, "unit") ? `1/s per ${text_at(by, "unit")}` : "1/s"]] : [])));
  return card("Derivatives of the eigenvalues", table(["parameter", "eigenvalue [1/s]", "derivative", "unit"], rows.slice(0, 300)));
}
