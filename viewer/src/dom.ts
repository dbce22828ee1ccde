// The page without a framework: elements from calls, and values that tell who listens.

type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;
type Child = Node | string | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

// Drawn on a 24 x 24 grid, stroked with the colour of the text.
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  set(svg, { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" });
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export function button(label: string, attributes: Attributes, ...children: Child[]): HTMLButtonElement {
  return h("button", { type: "button", title: label, "aria-label": label, ...attributes }, ...children);
}

export class Value<T> {
  private readonly listeners: ((value: T) => void)[] = [];
  constructor(private held: T) {}

  get(): T {
    return this.held;
  }

  set(value: T): void {
    if (value === this.held) return;
    this.held = value;
    for (const listener of this.listeners) listener(value);
  }

  // Calls at once and at every change.
  watch(listener: (value: T) => void): void {
    this.listeners.push(listener);
    listener(this.held);
  }
}

export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export const icons = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  back: "M15 6l-6 6 6 6",
  forward: "M9 6l6 6-6 6",
  start: "M19 5v14l-9-7zM6 5v14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  trace: "M4 17c4-13 8 9 16-8",
  ghost: "M5 19V11a7 7 0 0 1 14 0v8l-2.5-2-2.3 2-2.2-2-2.2 2-2.3-2z",
  arrow: "M5 19 19 5M10 5h9v9",
  label: "M4 6h10l6 6-6 6H4z",
  cube: "M12 3 4 7.5v9L12 21l8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
  moon: "M19 14.5A8 8 0 0 1 9.5 5 8 8 0 1 0 19 14.5z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5",
  sliders: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.6-5.7l-1.5 1.4M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.6 5.7l1.5-1.4",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  loop: "M17 3l3 3-3 3M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3M20 13v2a3 3 0 0 1-3 3H4",
};
