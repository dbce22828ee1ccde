// The clock of the animation. Everything that moves listens to `time`.
import { Value } from "./dom.ts";

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Player {
  readonly time: Value<number>;
  readonly playing = new Value(false);
  readonly speed: Value<number>;
  readonly loop = new Value(true);
  private last = 0;

  // fastest: swings or turns a second of what is drawn.
  constructor(private begin: number, private end: number, readonly fastest = 0) {
    this.time = new Value(begin);
    this.speed = new Value(sensible_speed(end - begin, fastest));
  }

  set_range(begin: number, end: number): void {
    this.begin = begin;
    this.end = end;
  }

  get range(): [number, number] {
    return [this.begin, this.end];
  }

  // At the speed of the list with which the whole run takes nearest to so many seconds.
  take(seconds: number): void {
    const wanted = (this.end - this.begin) / seconds;
    if (wanted > 0) this.speed.set(nearest_speed(wanted));
  }

  seek(t: number): void {
    this.time.set(Math.min(this.end, Math.max(this.begin, t)));
  }

  toggle(): void {
    if (this.playing.get()) return this.playing.set(false);
    if (this.time.get() >= this.end) this.seek(this.begin);
    this.last = 0;
    this.playing.set(true);
  }

  // Called once a frame with the browser's clock in milliseconds.
  tick(now: number): void {
    if (!this.playing.get()) return;
    const passed = this.last === 0 ? 0 : (now - this.last) / 1000;
    this.last = now;
    let t = this.time.get() + passed * this.speed.get();
    if (t > this.end && this.loop.get()) t = this.begin;
    this.seek(t);
    if (t >= this.end && !this.loop.get()) this.playing.set(false);
  }
}

const pictures = 60; // a second
const pictures_needed = 8; // of a swing, to see how it goes

// Pictures of one swing at this speed.
export const pictures_of = (fastest: number, speed: number): number => (fastest > 0 ? pictures / (fastest * speed) : Infinity);

const nearest_speed = (wanted: number) => speeds.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best));

// The speed of the list at which the whole run takes nearest to eight seconds, but real time when that is near; slower
// where the motion would be too fast for the pictures.
export function sensible_speed(duration: number, fastest = 0): number {
  const fit = speeds.filter((s) => pictures_of(fastest, s) >= pictures_needed);
  const slow = fit.length > 0 ? fit[fit.length - 1] : speeds[0];
  if (!(duration > 0) || (duration >= 1 && duration <= 30)) return Math.min(1, slow);
  const wanted = duration / 8;
  return Math.min(slow, nearest_speed(wanted));
}

// What pictures at this speed do to the motion; "": they show it.
export function pace_words(fastest: number, speed: number): string {
  const each = pictures_of(fastest, speed);
  if (each >= pictures_needed) return "";
  const words = `${fastest < 10 ? fastest.toPrecision(2) : fastest.toFixed(0)} swings a second`;
  return each >= 2 ? `${words}: too fast to see, choose a slower speed` : `${words}: the pictures mislead, choose a slower speed`;
}
