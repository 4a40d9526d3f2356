/** The next step of a job: takes a place of a station, gives it back, or lets time pass. */
export type Step = { readonly take: Station } | { readonly give: Station } | { readonly passMs: number };
export type Job = Generator<Step, void, void>;

/** A resource with a number of places, for which jobs queue. */
export class Station {
  readonly places: number;
  readonly waiting: Job[] = [];
  taken = 0;
  /** How long its places have been taken, in total. */
  busyMs = 0;
  lastMs = 0;

  constructor(places: number) {
    this.places = places;
  }
}

interface Event {
  readonly atMs: number;
  readonly job: Job;
}

/** Simulates jobs at stations, one event after the other, in simulated milliseconds. */
export class Simulation {
  nowMs = 0;
  /** A heap, the next event first. */
  readonly #events: Event[] = [];
  #state: number;

  constructor(seed = 1) {
    this.#state = seed;
  }

  begin(job: Job, afterMs = 0): void {
    this.#push({ atMs: this.nowMs + afterMs, job });
  }

  /** Runs until a time, or until there are no more events. */
  runUntil(endMs: number): void {
    for (let next = this.#events[0]; next !== undefined && next.atMs <= endMs; next = this.#events[0]) {
      this.#pop();
      this.nowMs = next.atMs;
      this.#advance(next.job);
    }
    this.nowMs = endMs;
  }

  /** @returns the average share of a station's places that were taken. */
  useOf(station: Station): number {
    this.#account(station, 0);
    return station.busyMs / (station.places * this.nowMs);
  }

  /** A random time with an exponential distribution. */
  exponential(meanMs: number): number {
    return -Math.log(1 - this.#random()) * meanMs;
  }

  #advance(job: Job): void {
    for (let step = job.next(); step.done !== true; step = job.next()) {
      if ('passMs' in step.value) {
        this.#push({ atMs: this.nowMs + step.value.passMs, job });
        return;
      }
      if ('give' in step.value) this.#give(step.value.give);
      else if (!this.#take(step.value.take, job)) return;
    }
  }

  #take(station: Station, job: Job): boolean {
    if (station.taken === station.places) {
      station.waiting.push(job);
      return false;
    }
    this.#account(station, 1);
    return true;
  }

  /** The next job in line takes the place at once. */
  #give(station: Station): void {
    const next = station.waiting.shift();
    if (next === undefined) this.#account(station, -1);
    else this.#push({ atMs: this.nowMs, job: next });
  }

  #account(station: Station, change: number): void {
    station.busyMs += station.taken * (this.nowMs - station.lastMs);
    station.lastMs = this.nowMs;
    station.taken += change;
  }

  #push(event: Event): void {
    const events = this.#events;
    let at = events.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = events[above];
      if (parent === undefined || parent.atMs <= event.atMs) break;
      events[at] = parent;
      at = above;
    }
    events[at] = event;
  }

  #pop(): void {
    const events = this.#events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const one = events[left];
      const other = events[left + 1];
      const isOther = one !== undefined && other !== undefined && other.atMs < one.atMs;
      const child = isOther ? other : one;
      if (child === undefined || child.atMs >= last.atMs) break;
      events[at] = child;
      at = isOther ? left + 1 : left;
    }
    events[at] = last;
  }

  /** Mulberry32: the same numbers each time. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
