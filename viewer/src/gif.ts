// Animated GIF (version 89a): one palette of 256 colours for all images, LZW with growing codes.

export class Gif {
  private readonly out: number[] = [];
  private readonly indices = new Map<number, number>();
  private readonly palette: number[] = [];
  private readonly nearest = new Map<number, number>();
  private readonly images: { pixels: Uint8Array; delay: number }[] = [];

  constructor(readonly width: number, readonly height: number) {}

  // RGBA pixels; delay in hundredths of a second.
  add(pixels: Uint8ClampedArray, delay: number): void {
    const image = new Uint8Array(this.width * this.height);
    for (let i = 0; i < image.length; i++) image[i] = this.index(pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]);
    this.images.push({ pixels: image, delay: Math.max(2, Math.round(delay)) });
  }

  finish(): Uint8Array {
    const { out, width, height } = this;
    const word = (n: number) => out.push(n & 255, n >> 8);
    out.push(...Array.from("GIF89a", (c) => c.charCodeAt(0)));
    word(width);
    word(height);
    out.push(0xf7, 0, 0);
    for (let k = 0; k < 768; k++) out.push(this.palette[k] ?? 0);
    out.push(0x21, 0xff, 11, ...Array.from("NETSCAPE2.0", (c) => c.charCodeAt(0)), 3, 1, 0, 0, 0);
    for (const { pixels, delay } of this.images) {
      out.push(0x21, 0xf9, 4, 0);
      word(delay);
      out.push(0, 0, 0x2c, 0, 0, 0, 0);
      word(width);
      word(height);
      out.push(0, 8);
      for (const part of blocks(lzw(pixels))) {
        out.push(part.length);
        for (const byte of part) out.push(byte);
      }
      out.push(0);
    }
    out.push(0x3b);
    return Uint8Array.from(out);
  }

  // Colours in order of appearance; when 256 are taken, the nearest of them.
  private index(r: number, g: number, b: number): number {
    const key = ((r & 0xf8) << 16) | ((g & 0xf8) << 8) | (b & 0xf8);
    const known = this.indices.get(key) ?? this.nearest.get(key);
    if (known !== undefined) return known;
    if (this.palette.length < 768) {
      this.indices.set(key, this.palette.length / 3);
      this.palette.push(r, g, b);
      return this.palette.length / 3 - 1;
    }
    let best = 0, least = Infinity;
    for (let k = 0; k < 256; k++) {
      const d = (this.palette[3 * k] - r) ** 2 + (this.palette[3 * k + 1] - g) ** 2 + (this.palette[3 * k + 2] - b) ** 2;
      if (d < least) [best, least] = [k, d];
    }
    this.nearest.set(key, best);
    return best;
  }
}

function* blocks(bytes: number[]): Generator<number[]> {
  for (let i = 0; i < bytes.length; i += 255) yield bytes.slice(i, i + 255);
}

// Codes of 9 to 12 bits, lowest bit first; the table starts anew when it is full.
export function lzw(pixels: Uint8Array): number[] {
  const clear = 256, end = 257;
  const out: number[] = [];
  let bits = 0, held = 0, size = 9, next = 258;
  let table = new Map<number, number>();
  const put = (code: number) => {
    held |= code << bits;
    bits += size;
    while (bits >= 8) {
      out.push(held & 255);
      held >>>= 8;
      bits -= 8;
    }
  };
  put(clear);
  let prefix = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const key = (prefix << 8) | pixels[i];
    const found = table.get(key);
    if (found !== undefined) {
      prefix = found;
      continue;
    }
    put(prefix);
    if (next < 4096) {
      if (next === 1 << size && size < 12) size++;
      table.set(key, next++);
    } else {
      put(clear);
      table = new Map();
      size = 9;
      next = 258;
    }
    prefix = pixels[i];
  }
  put(prefix);
  if (next === 1 << size && size < 12) size++;
  put(end);
  if (bits > 0) out.push(held & 255);
  return out;
}
