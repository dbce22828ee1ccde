// Columns of doubles as bytes. Each column: differences of the 64-bit patterns (a smooth series then has leading zero
// bytes), the bytes of equal weight together, all columns one after the other, deflated (zlib format). Lossless.

export function shuffle(values: Float64Array, out: Uint8Array, at: number): void {
  const n = values.length;
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * n);
  let low0 = 0, high0 = 0;
  for (let i = 0; i < n; i++) {
    const low = words[2 * i], high = words[2 * i + 1];
    const low1 = (low - low0) >>> 0;
    const high1 = (high - high0 - (low < low0 ? 1 : 0)) >>> 0;
    for (let b = 0; b < 4; b++) {
      out[at + b * n + i] = (low1 >>> (8 * b)) & 255;
      out[at + (b + 4) * n + i] = (high1 >>> (8 * b)) & 255;
    }
    low0 = low;
    high0 = high;
  }
}

export function unshuffle(bytes: Uint8Array, at: number, n: number): Float64Array {
  const words = new Uint32Array(2 * n);
  let low = 0, high = 0;
  for (let i = 0; i < n; i++) {
    let low1 = 0, high1 = 0;
    for (let b = 3; b >= 0; b--) {
      low1 = (low1 << 8) | bytes[at + b * n + i];
      high1 = (high1 << 8) | bytes[at + (b + 4) * n + i];
    }
    const sum = low + (low1 >>> 0);
    high = (high + (high1 >>> 0) + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    low = sum >>> 0;
    words[2 * i] = low;
    words[2 * i + 1] = high;
  }
  return new Float64Array(words.buffer);
}

export function bytes_of_base64(text: string): Uint8Array {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream) {
  const answer = new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>));
  return new Uint8Array(await answer.arrayBuffer());
}

export const inflate = (bytes: Uint8Array) => through(bytes, new DecompressionStream("deflate"));
export const deflate = (bytes: Uint8Array) => through(bytes, new CompressionStream("deflate"));

// Of a report that does not keep all rows; null: there are none.
export async function spectra_of(doc: { spectra?: { data: string } }): Promise<Uint8Array | null> {
  return doc.spectra && doc.spectra.data !== "" ? inflate(bytes_of_base64(doc.spectra.data)) : null;
}
