// The clock's controls: play, step, speed, the time line with events and diagnostics on it.
import { format_number } from "./data/number.ts";
import type { Run } from "./data/run.ts";
import { index_at } from "./data/run.ts";
import { button, h, icon, icons } from "./dom.ts";
import { pace_words, type Player, speeds } from "./player.ts";

export class Transport {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly clock = h("output", { class: "clock" });

  constructor(private readonly run: Run, private readonly player: Player) {
    const play = button("Play or pause (space)", { class: "play", onclick: () => player.toggle() }, icon(icons.play));
    player.playing.watch((on) => {
      play.replaceChildren(icon(on ? icons.pause : icons.play));
      play.setAttribute("aria-pressed", String(on));
    });
    this.slider = h("input", { type: "range", min: 0, max: 10000, step: 1, "aria-label": "Time", oninput: () => this.scrub() });
    const speed = h("select", { "aria-label": "Speed", onchange: () => player.speed.set(Number(speed.value)) }, ...speeds.map((s) => h("option", { value: s }, `${s} ×`)));
    const pace = h("span", { class: "pace", role: "status" });
    player.speed.watch((s) => {
      speed.value = String(s);
      pace.textContent = pace_words(player.fastest, s);
      pace.title = pace.textContent;
    });
    const loop = button("Repeat (L)", { class: "on", onclick: () => player.loop.set(!player.loop.get()) }, icon(icons.loop));
    player.loop.watch((on) => loop.classList.toggle("on", on));
    this.element = h("footer", { class: "transport", "aria-label": "Time" },
      button("To the start (Home)", { onclick: () => player.seek(player.range[0]) }, icon(icons.start)),
      button("One row back (←)", { onclick: () => this.step(-1) }, icon(icons.back)), play,
      button("One row on (→)", { onclick: () => this.step(1) }, icon(icons.forward)), loop,
      h("div", { class: "track" }, this.slider, this.marks()), this.clock, pace, speed);
    player.time.watch((t) => this.show(t));
    this.element.classList.toggle("still", run.time.length < 2 && run.doc.status !== "running");
  }

  step(rows: number): void {
    this.player.playing.set(false);
    const times = this.run.time;
    const i = index_at(times, this.player.time.get());
    this.player.seek(times[Math.min(times.length - 1, Math.max(0, i + rows))]);
  }

  private scrub(): void {
    const [begin, end] = this.player.range;
    this.player.playing.set(false);
    this.player.seek(begin + (Number(this.slider.value) / 10000) * (end - begin));
  }

  private show(t: number): void {
    const [begin, end] = this.player.range;
    this.slider.value = String(end > begin ? Math.round((10000 * (t - begin)) / (end - begin)) : 0);
    if (!this.player.playing.get()) this.slider.setAttribute("aria-valuetext", `${format_number(t, 4)} seconds`);
    const digits = end > begin ? Math.max(0, 3 - Math.floor(Math.log10(end - begin))) : 0;
    this.clock.textContent = `${t.toFixed(Math.min(9, digits)).replace("-", "−")} s`;
  }

  private marks(): HTMLElement {
    const [begin, end] = this.player.range;
    const mark = (t: number, kind: string, text: string) => h("i", { class: kind, style: `left:${(100 * (t - begin)) / (end - begin || 1)}%`, title: text });
    const { events, diagnostics } = this.run.doc;
    return h("div", { class: "marks" },
      ...events.filter((e) => e.t > begin && e.t <= end).slice(0, 400).map((e) => mark(e.t, "event", `${format_number(e.t)} s: ${e.text || e.kind}`)),
      ...diagnostics.filter((d) => d.t !== null && d.t >= begin).slice(0, 400).map((d) => mark(Math.min(d.t ?? 0, end), d.severity, `${format_number(d.t)} s: ${d.found}`)));
  }
}
