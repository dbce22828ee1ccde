// Drawings of given poses: one picture for each, made by the same drawing as the animation.
import { type Pose, posed_run } from "../data/posed.ts";
import type { Run } from "../data/run.ts";
import { h } from "../dom.ts";
import type { Shared } from "../motion.ts";
import { View } from "../scene/view.ts";

export const plain = { traces: "none", ghosts: false, arrows: false, labels: false, perspective: true } as const;

// Filled once the page is there; nothing where the browser cannot draw. They follow the theme.
export function pictures(run: Run, poses: Pose[], shared: Shared): HTMLImageElement[] {
  const scene = run.doc.scene;
  const images = poses.map((_, k) => h("img", { class: "pose", alt: `Pose ${k + 1} of the mechanism` }));
  if (scene === null || scene.bodies.length === 0 || poses.length === 0) return [];
  const draw = () => {
    let view: View;
    try {
      view = new View([{ run: posed_run(run, poses), scene }], shared.theme.get(), { ...plain });
    } catch {
      return;
    }
    view.element.classList.add("aside");
    document.body.append(view.element);
    view.set_size(300, 220);
    images.forEach((image, k) => {
      view.set_time(k);
      view.draw_now();
      image.src = view.canvas.toDataURL("image/png");
    });
    view.element.remove();
    view.dispose();
  };
  shared.theme.watch(() => requestAnimationFrame(draw));
  return images;
}
