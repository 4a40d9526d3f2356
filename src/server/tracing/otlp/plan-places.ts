import { formatSegment } from '../runs/dotted-order.ts';

/**
 * The name of the root that stands in until the true one arrives. No span has this name, because the names of spans
 * have 16 digits.
 */
export const STAND_IN_NAME = '';

/** The place of a run in its trace. The parent and the trace are part of the dotted_order. */
export interface Place {
  readonly run: string;
  readonly order: string;
}

/** The fields of a span that affect places. */
export interface KnownSpan {
  /** The parent that the span states, which may not have arrived. */
  readonly parent: string | undefined;
  /** The place where the span is stored; `undefined` while it is waiting. */
  readonly place: Place | undefined;
  /** The place that the sender chose. */
  readonly chosen: Place | undefined;
  /** When the span began, in microseconds; read only for spans that get a place. */
  readonly start: () => number;
}

export interface Plan {
  /** Spans with a new or changed place, in an order in which parents come first. */
  readonly places: ReadonlyMap<string, Place>;
  /** The true root, if it replaces the stand-in. */
  readonly takesOver: string | undefined;
}

/**
 * Plans the places of the spans in a trace, based on everything known about them. Without a root, they wait. A span
 * whose parent has not arrived is placed directly below the root or its stand-in until its parent arrives. IDs never
 * change.
 * @param trace in OpenTelemetry's hexadecimal form.
 * @param standInOrder the dotted_order of a root that stands in from now on, when spans have waited too long.
 */
export function planPlaces(
  trace: string,
  spans: ReadonlyMap<string, KnownSpan>,
  standInOrder?: string | undefined,
): Plan {
  return new Planner(trace, spans).plan(standInOrder);
}

class Planner {
  readonly #trace: string;
  readonly #spans: ReadonlyMap<string, KnownSpan>;
  readonly #places = new Map<string, Place>();
  readonly #queue: [name: string, above: string][] = [];
  #childrenOf: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(trace: string, spans: ReadonlyMap<string, KnownSpan>) {
    this.#trace = trace;
    this.#spans = spans;
  }

  plan(standInOrder: string | undefined): Plan {
    const root = this.#findRoot() ?? (standInOrder === undefined ? undefined : STAND_IN_NAME);
    this.#childrenOf = this.#childrenByParent(root);
    for (const [name, { chosen, place }] of this.#spans)
      if (chosen !== undefined && place === undefined) this.#settle(name, chosen);
    if (root !== undefined) this.#settle(root, this.#placeOfRoot(root, standInOrder));
    this.#placeBelowStored();
    if (root !== undefined) this.#placeUnreached(root);
    const isArrivedRoot = root !== undefined && root !== STAND_IN_NAME;
    return {
      places: this.#places,
      takesOver: isArrivedRoot && this.#spans.has(STAND_IN_NAME) ? root : undefined,
    };
  }

  /** Places spans whose parent already has its place. */
  #placeBelowStored(): void {
    for (const [name, { place }] of this.#spans) {
      if (place === undefined) continue;
      for (const child of this.#childrenOf.get(name) ?? [])
        if (this.#currentPlace(child) === undefined) this.#queue.push([child, name]);
    }
    this.#emptyQueue();
  }

  #placeUnreached(root: string): void {
    for (const name of this.#unreached(root)) {
      if (this.#isBelow(name, root)) continue;
      this.#queue.push([name, root]);
      this.#emptyQueue();
    }
  }

  #settle(name: string, place: Place): void {
    if (place.order === this.#currentPlace(name)?.order) return;
    this.#places.set(name, place);
    for (const child of this.#childrenOf.get(name) ?? []) this.#queue.push([child, name]);
  }

  #emptyQueue(): void {
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      const [name, parent] = next;
      const above = this.#currentPlace(parent);
      const place = above && this.#placeBelow(name, above);
      if (place !== undefined) this.#settle(name, place);
    }
  }

  /**
   * Finds the root among the spans that have arrived; of several spans without a parent, the one that was stored first,
   * or else the one that began first.
   */
  #findRoot(): string | undefined {
    const id = uuidOf(this.#trace);
    let earliest: string | undefined;
    for (const [name, { parent, place, chosen, start }] of this.#spans) {
      if (name === STAND_IN_NAME) continue;
      if ((place ?? chosen)?.run === id) return name;
      if (place !== undefined || chosen !== undefined || parent !== undefined) continue;
      const first = earliest === undefined ? undefined : this.#spans.get(earliest)?.start();
      if (first === undefined || start() < first) earliest = name;
    }
    return earliest ?? (this.#spans.has(STAND_IN_NAME) ? STAND_IN_NAME : undefined);
  }

  #placeOfRoot(root: string, standInOrder: string | undefined): Place {
    const span = this.#spans.get(root);
    const known = span?.place ?? span?.chosen;
    if (known !== undefined) return known;
    const run = uuidOf(this.#trace);
    if (span === undefined && standInOrder !== undefined) return { run, order: standInOrder };
    return { run, order: formatSegment(span?.start() ?? 0, run) };
  }

  /** The children of each span, as stated. Spans whose parents have not arrived are below the root. */
  #childrenByParent(root: string | undefined): Map<string, string[]> {
    const below = new Map<string, string[]>();
    for (const [name, { parent }] of this.#spans) {
      if (name === root || name === STAND_IN_NAME) continue;
      const isKnown = parent !== undefined && parent !== name && this.#spans.has(parent);
      const above = isKnown ? parent : root;
      if (above === undefined) continue;
      const siblings = below.get(above);
      if (siblings === undefined) below.set(above, [name]);
      else siblings.push(name);
    }
    return below;
  }

  #currentPlace(name: string): Place | undefined {
    return this.#places.get(name) ?? this.#spans.get(name)?.place;
  }

  /** @returns `undefined` for a span that stays where it is. */
  #placeBelow(name: string, above: Place): Place | undefined {
    const span = this.#spans.get(name);
    if (span === undefined || span.chosen !== undefined) return undefined;
    const id = idOf(this.#trace, name);
    const now = this.#currentPlace(name);
    if (now === undefined) return { run: id, order: `${above.order}.${formatSegment(span.start(), id)}` };
    // A span cannot be moved if its sender chose its place, its payloads are stored with another trace, or it is an
    // ancestor.
    const isFixed = now.run !== id || traceOf(now.order) !== traceOf(above.order) || above.order.includes(id);
    return isFixed
      ? undefined
      : { run: id, order: `${above.order}.${now.order.slice(now.order.lastIndexOf('.') + 1)}` };
  }

  /**
   * Finds spans that cannot be reached from the root because they name each other as parents; the highest or earliest
   * is placed first.
   */
  #unreached(root: string): string[] {
    return [...this.#spans]
      .filter(
        ([name, { chosen }]) => name !== STAND_IN_NAME && chosen === undefined && !this.#isBelow(name, root),
      )
      .map(([name, { place, start }]) => {
        const depth = this.#currentPlace(name)?.order.length ?? 0;
        return { name, depth, start: place === undefined ? start() : 0 };
      })
      .sort((a, b) => a.depth - b.depth || a.start - b.start)
      .map(({ name }) => name);
  }

  /**
   * Whether a span is below the root. This is also true of the root itself, and of spans of another trace, which cannot
   * be moved to this one.
   */
  #isBelow(name: string, root: string): boolean {
    const place = this.#currentPlace(name);
    const top = this.#currentPlace(root);
    if (name === root || top === undefined) return true;
    if (place === undefined) return false;
    return traceOf(place.order) !== traceOf(top.order) || place.order.startsWith(`${top.order}.`);
  }
}

/** The id of the trace in a dotted_order. */
export function traceOf(order: string): string {
  return order.split('.', 1)[0]?.slice(-36) ?? '';
}

/** The id of the parent run in a dotted_order; `undefined` for a root. */
export function parentOf(order: string): string | undefined {
  return order.split('.').at(-2)?.slice(-36);
}

/**
 * The run id of a span that is not a root. IDs of spans have 8 bytes, which are made unique by the first 8 bytes of the
 * trace's ID.
 */
export function idOf(trace: string, span: string): string {
  return uuidOf(`${trace.slice(0, 16)}${span}`);
}

/** The run ID of a trace, and of its root. */
export function uuidOf(hex: string): string {
  const h = hex.padEnd(32, '0');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20, 32)}`;
}
