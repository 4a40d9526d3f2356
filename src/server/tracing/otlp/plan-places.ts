import { formatSegment, traceIdIn } from '../runs/dotted-order.ts';

/**
 * The ID of the root that stands in until the true one arrives. No span has this ID, because IDs of spans have 16
 * digits.
 */
export const STAND_IN_ID = '';

/** The place of a run in its trace. */
export interface Place {
  /** The ID of the run. */
  readonly run: string;
  /** The run's dotted_order, which contains the IDs of its trace and its parent. */
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

/** The places that the spans of a trace get. */
export interface Plan {
  /** New and changed places, by the ID of the span, in an order in which parents come first. */
  readonly places: ReadonlyMap<string, Place>;
  /** The ID of the true root, if it replaces the stand-in. */
  readonly takesOver: string | undefined;
}

/**
 * Plans the places of the spans in a trace. Without a root, spans wait. A span whose parent has not arrived is placed
 * directly below the root or its stand-in until its parent arrives. The IDs of runs never change.
 * @param trace the trace's ID in OpenTelemetry's hexadecimal form. @param spans all known spans of the trace, by ID.
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
  /** Spans to place below a span that has its place. */
  readonly #queue: [spanId: string, above: string][] = [];
  #childrenOf: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(trace: string, spans: ReadonlyMap<string, KnownSpan>) {
    this.#trace = trace;
    this.#spans = spans;
  }

  plan(standInOrder: string | undefined): Plan {
    const root = this.#findRoot() ?? (standInOrder === undefined ? undefined : STAND_IN_ID);
    this.#childrenOf = this.#childrenByParent(root);
    for (const [spanId, { chosen, place }] of this.#spans)
      if (chosen !== undefined && place === undefined) this.#settle(spanId, chosen);
    if (root !== undefined) this.#settle(root, this.#placeOfRoot(root, standInOrder));
    this.#placeBelowStored();
    if (root !== undefined) this.#placeUnreached(root);
    const isArrivedRoot = root !== undefined && root !== STAND_IN_ID;
    return {
      places: this.#places,
      takesOver: isArrivedRoot && this.#spans.has(STAND_IN_ID) ? root : undefined,
    };
  }

  /** Places spans whose parent already has its place. */
  #placeBelowStored(): void {
    for (const [spanId, { place }] of this.#spans) {
      if (place === undefined) continue;
      for (const child of this.#childrenOf.get(spanId) ?? [])
        if (this.#currentPlace(child) === undefined) this.#queue.push([child, spanId]);
    }
    this.#emptyQueue();
  }

  /** Places spans that name each other as parents below the root. */
  #placeUnreached(root: string): void {
    for (const spanId of this.#unreached(root)) {
      if (this.#isBelow(spanId, root)) continue;
      this.#queue.push([spanId, root]);
      this.#emptyQueue();
    }
  }

  /** Records a place if it is new, and queues the span's children, because they move with it. */
  #settle(spanId: string, place: Place): void {
    if (place.order === this.#currentPlace(spanId)?.order) return;
    this.#places.set(spanId, place);
    for (const child of this.#childrenOf.get(spanId) ?? []) this.#queue.push([child, spanId]);
  }

  #emptyQueue(): void {
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      const [spanId, parent] = next;
      const above = this.#currentPlace(parent);
      const place = above && this.#placeBelow(spanId, above);
      if (place !== undefined) this.#settle(spanId, place);
    }
  }

  /**
   * Finds the root among the spans that have arrived; of several spans without a parent, the one that was stored first,
   * or else the one that began first.
   */
  #findRoot(): string | undefined {
    const id = uuidOf(this.#trace);
    let earliest: string | undefined;
    for (const [spanId, { parent, place, chosen, start }] of this.#spans) {
      if (spanId === STAND_IN_ID) continue;
      if ((place ?? chosen)?.run === id) return spanId;
      if (place !== undefined || chosen !== undefined || parent !== undefined) continue;
      const first = earliest === undefined ? undefined : this.#spans.get(earliest)?.start();
      if (first === undefined || start() < first) earliest = spanId;
    }
    return earliest ?? (this.#spans.has(STAND_IN_ID) ? STAND_IN_ID : undefined);
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
    for (const [spanId, { parent }] of this.#spans) {
      if (spanId === root || spanId === STAND_IN_ID) continue;
      const isKnown = parent !== undefined && parent !== spanId && this.#spans.has(parent);
      const above = isKnown ? parent : root;
      if (above === undefined) continue;
      const siblings = below.get(above);
      if (siblings === undefined) below.set(above, [spanId]);
      else siblings.push(spanId);
    }
    return below;
  }

  #currentPlace(spanId: string): Place | undefined {
    return this.#places.get(spanId) ?? this.#spans.get(spanId)?.place;
  }

  /** Finds the place of a span below the place `above`. @returns `undefined` for a span that stays where it is. */
  #placeBelow(spanId: string, above: Place): Place | undefined {
    const span = this.#spans.get(spanId);
    if (span === undefined || span.chosen !== undefined) return undefined;
    const id = idOf(this.#trace, spanId);
    const current = this.#currentPlace(spanId);
    if (current === undefined) return { run: id, order: `${above.order}.${formatSegment(span.start(), id)}` };
    // A span cannot be moved if its sender chose its place, its payloads are stored with another trace, or it is an
    // ancestor.
    const isFixed =
      current.run !== id || traceIdIn(current.order) !== traceIdIn(above.order) || above.order.includes(id);
    return isFixed
      ? undefined
      : { run: id, order: `${above.order}.${current.order.slice(current.order.lastIndexOf('.') + 1)}` };
  }

  /**
   * Finds spans that cannot be reached from the root because they name each other as parents; the highest or earliest
   * is placed first.
   */
  #unreached(root: string): string[] {
    return [...this.#spans]
      .filter(
        ([spanId, { chosen }]) =>
          spanId !== STAND_IN_ID && chosen === undefined && !this.#isBelow(spanId, root),
      )
      .map(([spanId, { place, start }]) => {
        const depth = this.#currentPlace(spanId)?.order.length ?? 0;
        return { spanId, depth, start: place === undefined ? start() : 0 };
      })
      .sort((a, b) => a.depth - b.depth || a.start - b.start)
      .map(({ spanId }) => spanId);
  }

  /**
   * Whether a span is below the root. This is also true of the root itself, and of spans of another trace, which cannot
   * be moved to this one.
   */
  #isBelow(spanId: string, root: string): boolean {
    const place = this.#currentPlace(spanId);
    const top = this.#currentPlace(root);
    if (spanId === root || top === undefined) return true;
    if (place === undefined) return false;
    return traceIdIn(place.order) !== traceIdIn(top.order) || place.order.startsWith(`${top.order}.`);
  }
}

/**
 * The run ID of a span that is not a root. An ID of a span has only 8 bytes, so the first 8 bytes of the trace's ID
 * make it unique.
 */
export function idOf(trace: string, span: string): string {
  return uuidOf(`${trace.slice(0, 16)}${span}`);
}

/** The run ID of a trace, and of its root. @param hex the ID in OpenTelemetry's form, of up to 32 digits. */
export function uuidOf(hex: string): string {
  const h = hex.padEnd(32, '0');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20, 32)}`;
}
