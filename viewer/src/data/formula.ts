// Formulas of channels, as a reader writes them: = hypot(pin.first.fx, pin.first.fy)/1000. Names that hold blanks stand in
// quotes. The unit follows from those of the channels where the rules of dimensions give one.
//   sum = product { (+|-) product }, product = power { (*|/) power }, power = [-] atom [ ^ power ]
import { dimension_of, type Dimension, unit_named } from "./dimension.ts";

export interface Term {
  unit: Dimension | null; // null: unknown
  at: (row: number) => number;
}

export type Names = (name: string) => { unit: string; values: Float64Array } | undefined;

interface Known {
  least: number; // arguments
  most: number;
  of: (...x: number[]) => number;
  keeps: boolean; // the unit of its arguments
}

const plain = (of: (x: number) => number): Known => ({ least: 1, most: 1, of, keeps: false });
export const functions: Record<string, Known> = {
  abs: { ...plain(Math.abs), keeps: true }, sqrt: plain(Math.sqrt), sin: plain(Math.sin), cos: plain(Math.cos), tan: plain(Math.tan), exp: plain(Math.exp), log: plain(Math.log), log10: plain(Math.log10),
  asin: plain(Math.asin), acos: plain(Math.acos), atan: plain(Math.atan), atan2: { least: 2, most: 2, of: Math.atan2, keeps: false },
  hypot: { least: 2, most: 3, of: Math.hypot, keeps: true }, min: { least: 2, most: 9, of: Math.min, keeps: true }, max: { least: 2, most: 9, of: Math.max, keeps: true },
};

const token = /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)|"([^"]*)"|'([^']*)'|([A-Za-z_][\w.]*)|([-+*/^(),]))/y;

class Parser {
  private at = 0;
  private kind = "";
  private text = "";

  constructor(private readonly source: string, private readonly names: Names) {
    this.next();
  }

  all(): Term {
    const out = this.sum();
    if (this.kind !== "end") throw new Error(`'${this.text}' stands where an operator or the end was expected`);
    return out;
  }

  private next(): void {
    token.lastIndex = this.at;
    const m = token.exec(this.source);
    if (m === null) {
      if (this.source.slice(this.at).trim() !== "") throw new Error(`'${this.source.slice(this.at).trim()[0]}' means nothing here`);
      this.kind = "end";
      this.text = "the end";
      return;
    }
    this.at = token.lastIndex;
    const found = m.slice(1).findIndex((part) => part !== undefined);
    this.kind = ["number", "name", "name", "name", "sign"][found];
    this.text = m[found + 1];
  }

  private take(sign: string): boolean {
    if (this.kind !== "sign" || this.text !== sign) return false;
    this.next();
    return true;
  }

  private sum(): Term {
    let out = this.product();
    for (;;) {
      const sign = this.take("+") ? 1 : this.take("-") ? -1 : 0;
      if (sign === 0) return out;
      const a = out, b = this.product();
      out = { unit: same(a, b), at: (i) => a.at(i) + sign * b.at(i) };
    }
  }

  private product(): Term {
    let out = this.power();
    for (;;) {
      const sign = this.take("*") ? 1 : this.take("/") ? -1 : 0;
      if (sign === 0) return out;
      const a = out, b = this.power();
      out = { unit: a.unit && b.unit ? a.unit.map((e, k) => e + sign * b.unit![k]) : null, at: sign > 0 ? (i) => a.at(i) * b.at(i) : (i) => a.at(i) / b.at(i) };
    }
  }

  private power(): Term {
    if (this.take("-")) {
      const a = this.power();
      return { unit: a.unit, at: (i) => -a.at(i) };
    }
    const a = this.atom();
    if (!this.take("^")) return a;
    const constant = this.kind === "number" ? Number(this.text) : NaN, b = this.power();
    return { unit: a.unit && Number.isFinite(constant) ? a.unit.map((e) => e * constant) : null, at: (i) => a.at(i) ** b.at(i) };
  }

  private atom(): Term {
    const { kind, text } = this;
    this.next();
    if (kind === "number") return { unit: dimension_of(""), at: () => Number(text) };
    if (kind === "sign" && text === "(") {
      const out = this.sum();
      if (!this.take(")")) throw new Error(`')' is missing before ${this.text}`);
      return out;
    }
    if (kind !== "name") throw new Error(`a number, a channel or '(' was expected, not '${text}'`);
    if (this.kind === "sign" && this.text === "(" && functions[text]) return this.call(text, functions[text]);
    if (text === "pi") return { unit: dimension_of(""), at: () => Math.PI };
    const channel = this.names(text);
    if (channel === undefined) throw new Error(`no channel is called '${text}'; names with blanks stand in quotes`);
    return { unit: dimension_of(channel.unit), at: (i) => channel.values[i] };
  }

  private call(name: string, known: Known): Term {
    const list: Term[] = [];
    this.take("(");
    do list.push(this.sum());
    while (this.take(","));
    if (!this.take(")")) throw new Error(`')' is missing after the arguments of ${name}`);
    if (list.length < known.least || list.length > known.most) throw new Error(`${name} takes ${known.least === known.most ? known.least : `${known.least} to ${known.most}`} arguments, not ${list.length}`);
    const unit = name === "sqrt" ? list[0].unit?.map((e) => e / 2) ?? null : known.keeps ? list.map((x) => x.unit).reduce((a, b) => same({ unit: a, at: list[0].at }, { unit: b, at: list[0].at })) : dimension_of("");
    return { unit, at: (i) => known.of(...list.map((x) => x.at(i))) };
  }
}

function same(a: Term, b: Term): Dimension | null {
  if (a.unit === null || b.unit === null) return null;
  if (a.unit.some((e, k) => e !== b.unit![k])) throw new Error(`${unit_named(a.unit) || "a number"} and ${unit_named(b.unit) || "a number"} cannot be added or compared`);
  return a.unit;
}

// The values of a formula at all rows, with their unit. Throws with the reason.
export function evaluate(source: string, rows: number, names: Names): { unit: string; values: Float64Array } {
  const term = new Parser(source, names).all();
  return { unit: term.unit === null ? "" : unit_named(term.unit), values: Float64Array.from({ length: rows }, (_, i) => term.at(i)) };
}
