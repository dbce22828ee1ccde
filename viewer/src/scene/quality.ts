// How finely to draw. Graphics processors smooth edges by themselves at no cost that matters. Where the processor has to draw
// (no graphics card, a remote desktop), smoothing costs more than all the rest: there things that move are drawn plainly, and
// finely as soon as they stand still.

const without_card = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export function software_rendering(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (gl === null) return false;
  let name = String(gl.getParameter(gl.RENDERER));
  if (name === "WebKit WebGL") {
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    if (info !== null) name = String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  }
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return without_card.test(name);
}

const patience = 200; // milliseconds without a change until a drawing is taken to stand still

export class Quality {
  private changed = -Infinity;
  private rough = false;

  constructor(private readonly software: boolean) {}

  get smooths(): boolean {
    return !this.software;
  }

  // Pixels of the drawing per pixel of the page for the next image.
  ratio(now: number, dirty: boolean): number {
    const screen = Math.min(2, window.devicePixelRatio || 1);
    if (!this.software) return screen;
    if (dirty) {
      this.rough = now - this.changed < patience;
      this.changed = Number.isFinite(now) ? now : performance.now();
    } else this.rough = false;
    return this.rough ? 1 : Math.min(3, 2 * screen);
  }

  // Whether what was drawn plainly has come to rest.
  due(now: number): boolean {
    return this.rough && now - this.changed >= patience;
  }
}
