// What a plot shows, as CSV, SVG or PNG.
import type { Band } from "../data/run.ts";
import { range_of, tick_text, ticks } from "./ticks.ts";
import type { PlotData } from "./spec.ts";

export interface Extent {
  x: [number, number];
  y: [number, number];
}

// Long form where the lines have different x, else one row per x. Numbers in full: reading them back gives the same bits.
export function to_csv(data: PlotData): string {
  const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = (name: string, unit: string) => quote(unit === "" ? name : `${name} [${unit}]`);
  const same = data.lines.every((l) => l.x.length === data.lines[0].x.length && l.x[0] === data.lines[0].x[0] && l.x[l.x.length - 1] === data.lines[0].x[data.lines[0].x.length - 1]);
  const title = (l: PlotData["lines"][number]) => `${l.name}${l.of_run}`;
  if (same && data.lines.length > 0) {
    const rows = [[head(data.x_label, data.x_unit), ...data.lines.map((l) => head(title(l), l.unit))].join(",")];
    for (let i = 0; i < data.lines[0].x.length; i++) rows.push([data.lines[0].x[i], ...data.lines.map((l) => l.y[i])].join(","));
    return rows.join("\n") + "\n";
  }
  const rows = [`curve,${head(data.x_label, data.x_unit)},value,unit`];
  for (const l of data.lines) for (let i = 0; i < l.x.length; i++) rows.push(`${quote(title(l))},${l.x[i]},${l.y[i]},${quote(l.unit)}`);
  return rows.join("\n") + "\n";
}

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);

export function to_svg(data: PlotData, title: string, extent: Extent | null, colours: string[], width = 800, height = 450): string {
  const x = extent?.x ?? range_of(data.lines.map((l) => l.x), 0);
  const y = extent?.y ?? range_of(data.lines.map((l) => l.y));
  const left = 76, right = width - 24, names = legend_places(data, left, right), top = 62 + 16 * names.at(-1)!.row, bottom = height - 52;
  const px = (v: number) => left + ((v - x[0]) / (x[1] - x[0])) * (right - left);
  const py = (v: number) => bottom - ((v - y[0]) / (y[1] - y[0])) * (bottom - top);
  const parts: string[] = [];
  const tx = ticks(x[0], x[1], 8), ty = ticks(y[0], y[1], 6);
  for (const v of tx.values) parts.push(`<path d="M${px(v).toFixed(1)} ${bottom}V${top}" class="g"/><text x="${px(v).toFixed(1)}" y="${bottom + 17}" text-anchor="middle">${tick_text(v, tx.step)}</text>`);
  for (const v of ty.values) parts.push(`<path d="M${left} ${py(v).toFixed(1)}H${right}" class="g"/><text x="${left - 8}" y="${(py(v) + 4).toFixed(1)}" text-anchor="end">${tick_text(v, ty.step)}</text>`);
  data.lines.forEach((line, k) => {
    const { at, row } = names[k], y = 46 + 16 * row;
    const colour = colours[line.colour % colours.length];
    const dash = line.dashed ? ' stroke-dasharray="6 4"' : "";
    if (line.band) parts.push(`<path d="${blocks_of(line.band, px, py)}" fill="${colour}" clip-path="url(#c)"/>`);
    else parts.push(`<path d="${path_of(line.x, line.y, px, py)}" fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round" clip-path="url(#c)"${dash}/>`);
    parts.push(`<path d="M${at} ${y}h20" stroke="${colour}" stroke-width="2.2"${dash}/><text x="${at + 26}" y="${y + 4}">${escape(legend_name(line))}</text>`);
  });
  const units = [...new Set(data.lines.map((l) => l.unit))];
  const y_label = units.length === 1 && units[0] !== "" ? `[${units[0]}]` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter,Helvetica,Arial,sans-serif" font-size="12" fill="#223">
<style>.g{stroke:#dde1e8;fill:none}</style><rect width="${width}" height="${height}" fill="#fff"/>
<clipPath id="c"><rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}"/></clipPath>
<text x="${left}" y="26" font-size="15" font-weight="600">${escape(title)}</text>
${parts.join("\n")}
<rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" fill="none" stroke="#99a"/>
<text x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">${escape(data.x_label)} [${escape(data.x_unit)}]</text>
<text transform="translate(20 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(y_label)}</text>
</svg>
`;
}

const legend_name = (line: PlotData["lines"][number]) => `${line.name}${line.unit ? ` [${line.unit}]` : ""}${line.of_run}`;

// Names beside each other, in as many rows as they need. There is one place more than there are names where there are none.
function legend_places(data: PlotData, left: number, right: number): { at: number; row: number }[] {
  let at = left, row = 0;
  const places = data.lines.map((line) => {
    const long = 44 + 6.4 * legend_name(line).length;
    if (at > left && at + long - 18 > right) [at, row] = [left, row + 1];
    const place = { at, row };
    at += long;
    return place;
  });
  return places.length > 0 ? places : [{ at, row }];
}

function blocks_of(band: Band, px: (v: number) => number, py: (v: number) => number): string {
  let d = "";
  for (let i = 0; i < band.low.length; i++) {
    if (!Number.isFinite(band.low[i] + band.high[i])) continue;
    d += `M${px(band.t[i]).toFixed(2)} ${(py(band.high[i]) - 0.4).toFixed(2)}H${px(band.t[i + 1]).toFixed(2)}V${(py(band.low[i]) + 0.4).toFixed(2)}H${px(band.t[i]).toFixed(2)}Z`;
  }
  return d;
}

function path_of(xs: ArrayLike<number>, ys: ArrayLike<number>, px: (v: number) => number, py: (v: number) => number): string {
  let out = "", last = "", down = false;
  for (let i = 0; i < xs.length; i++) {
    if (!Number.isFinite(xs[i]) || !Number.isFinite(ys[i])) {
      down = false;
      continue;
    }
    const here = `${px(xs[i]).toFixed(2)} ${py(ys[i]).toFixed(2)}`;
    if (down && here === last) continue;
    out += (down ? "L" : "M") + here;
    last = here;
    down = true;
  }
  return out;
}

export function to_png(svg: string, scale = 2): Promise<Blob> {
  return new Promise((done, fail) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.width * scale;
      canvas.height = image.height * scale;
      canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no image"))), "image/png");
    };
    image.onerror = () => fail(new Error("The plot could not be drawn."));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });
}
