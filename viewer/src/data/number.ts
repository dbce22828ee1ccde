// Numbers as text. Digits shown are digits of the stored value: rounded once, never from a rounded copy.

const minus = "−";

export function format_number(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${minus}∞`;
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? scientific(value, digits) : trimmed(value.toPrecision(digits));
  return text.replace(/^-/, minus);
}

function trimmed(text: string): string {
  const plain = text.includes("e") ? String(Number(text)) : text;
  return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
}

function scientific(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return `${trimmed(mantissa)}e${Number(exponent)}`.replace("e-", `e${minus}`);
}

export function format_time(seconds: number): string {
  return seconds < 60 ? `${format_number(seconds, 3)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function format_count(n: number): string {
  return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}
