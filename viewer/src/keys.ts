// The keyboard.
import type { Player } from "./player.ts";
import { speeds } from "./player.ts";
import type { Transport } from "./transport.ts";

export const key_help: [string, string][] = [
  ["space", "play, pause"], ["← →", "one row"], ["shift ← →", "ten rows"], ["Home End", "start, end"], ["+ −", "faster, slower"], ["L", "repeat"],
  ["F", "fit the drawing"], ["T G R N P", "traces, ghosts, reactions, names, perspective"], ["C", "two cursors"], ["1 … 9", "pages"], ["D", "dark, light"], ["?", "this list"],
];

export function listen(player: Player, transport: Transport, page: (k: number) => void, theme: () => void, help: () => void, signal: AbortSignal): void {
  document.addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || target.closest("input:not([type=range]):not([type=checkbox]), textarea, select, dialog[open]")) return;
    if (e.key === " " && target.closest("button, summary, label")) return;
    if (act(e, player, transport, page, theme, help)) e.preventDefault();
  }, { signal });
}

function act(e: KeyboardEvent, player: Player, transport: Transport, page: (k: number) => void, theme: () => void, help: () => void): boolean {
  const [begin, end] = player.range;
  const faster = (by: number) => player.speed.set(speeds[Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(player.speed.get()) + by))]);
  switch (e.key) {
    case " ": player.toggle(); return true;
    case "ArrowLeft": transport.step(e.shiftKey ? -10 : -1); return true;
    case "ArrowRight": transport.step(e.shiftKey ? 10 : 1); return true;
    case "Home": player.seek(begin); return true;
    case "End": player.seek(end); return true;
    case "+": case "=": faster(1); return true;
    case "-": faster(-1); return true;
    case "l": player.loop.set(!player.loop.get()); return true;
    case "d": theme(); return true;
    case "?": help(); return true;
  }
  if (/^[1-9]$/.test(e.key)) {
    page(Number(e.key) - 1);
    return true;
  }
  const tool = /^[a-z]$/.test(e.key) ? document.querySelector<HTMLButtonElement>(`[data-key="${e.key}"]`) : null;
  tool?.click();
  return tool !== null;
}
