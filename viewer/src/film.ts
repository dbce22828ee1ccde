// The animation image by image, for `cardan animate`: drawn on a canvas of a given size, with names and time.
import { format_number } from "./data/number.ts";
import { Gif } from "./gif.ts";
import type { Motion } from "./motion.ts";
import type { Player } from "./player.ts";
import { place_labels } from "./scene/label_places.ts";
import { theme_of } from "./scene/theme.ts";

export interface FilmOptions {
  width: number;
  height: number;
  dark: boolean;
  traces: boolean;
  arrows: boolean;
  names: boolean;
}

function to_base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

export class Film {
  private readonly canvas = document.createElement("canvas");
  private readonly pen: CanvasRenderingContext2D;
  private readonly gif_: Gif;

  constructor(private readonly motion: Motion, private readonly player: Player, private readonly options: FilmOptions) {
    const view = motion.view;
    if (view === null) throw new Error("this run has nothing to draw");
    const { width, height } = options;
    this.canvas.width = width;
    this.canvas.height = height;
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true })!;
    this.gif_ = new Gif(width, height);
    document.body.replaceChildren(view.element);
    view.shows.labels = options.names;
    view.shows.arrows = options.arrows;
    view.shows.traces = options.traces ? "all" : view.shows.traces;
    view.set_theme(theme_of(options.dark));
    view.set_size(width, height);
  }

  // Seconds that the film takes at the speed the report plays.
  get seconds(): number {
    const [begin, end] = this.player.range;
    return (end - begin) / this.player.speed.get();
  }

  frame(part: number): string {
    this.draw(part);
    return this.canvas.toDataURL("image/png").replace(/^.*,/, "");
  }

  gif_frame(part: number, delay: number): boolean {
    this.draw(part);
    this.gif_.add(this.pen.getImageData(0, 0, this.options.width, this.options.height).data, delay);
    return true;
  }

  gif(): string {
    return to_base64(this.gif_.finish());
  }

  private draw(part: number): void {
    const view = this.motion.view!;
    const { width, height, dark } = this.options;
    const [begin, end] = this.player.range;
    const t = begin + part * (end - begin);
    view.set_time(t);
    view.draw_now();
    this.pen.drawImage(view.canvas, 0, 0, width, height);
    this.pen.fillStyle = theme_of(dark).ink;
    this.pen.font = "13px Inter, system-ui, sans-serif";
    const labels = view.label_places();
    place_labels(labels.map(({ text, x, y }) => ({ x, y, width: this.pen.measureText(text).width, height: 16 })), { width, height })
      .forEach((place, k) => place && this.pen.fillText(labels[k].text, place.x, place.y + 13));
    this.pen.fillText(`t = ${format_number(t, 4)} s`, 14, height - 14);
  }
}
