// Names that do not lie on each other: each takes the first place around its point that is free, in order of importance, and is
// left out where all are taken.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const gap = 7;

// The corner of the label's box for each point; null: no place.
export function place_labels(points: { x: number; y: number; width: number; height: number }[], frame: { width: number; height: number }): ({ x: number; y: number } | null)[] {
  const taken: Box[] = [];
  return points.map(({ x, y, width, height }) => {
    if (!(x >= 0 && y >= 0 && x <= frame.width && y <= frame.height)) return null;
    const corners = [[gap, -height - 2], [gap, 3], [-width - gap, -height - 2], [-width - gap, 3], [-width / 2, -height - 12], [-width / 2, 12]];
    for (const [dx, dy] of corners) {
      const box = { x: x + dx, y: y + dy, width, height };
      const inside = box.x >= 0 && box.y >= 0 && box.x + width <= frame.width && box.y + height <= frame.height;
      if (!inside || taken.some((t) => box.x < t.x + t.width && t.x < box.x + width && box.y < t.y + t.height && t.y < box.y + height)) continue;
      taken.push(box);
      return { x: box.x, y: box.y };
    }
    return null;
  });
}
