import v8 from 'node:v8';
import vm from 'node:vm';

/** How long nothing must happen before a collection: longer than the pauses between several runs in a row. */
const QUIET_MS = 3_000;
/**
 * V8 keeps the space for new objects as large as recent allocations made it, 16 MB and more after LangGraph was
 * loaded, and shrinks it when collections in quick succession find few new objects. How many collections that
 * takes was measured: bench/history/2026-11.md#2026-11-24-what-a-resting-runtime-gives-back.
 */
const COLLECTIONS = 3;
/** The pause between two of these collections. */
const REPEAT_MS = 1_500;
/**
 * The garbage that makes a collection worthwhile: V8 also discards the shapes of objects and optimized code, and
 * the first runs after that take several times as long.
 */
const WORTHWHILE_BYTES = 6 * 1_048_576;
/** V8 collects a larger heap often enough anyway, and a collection would delay the next run. */
const MAX_HEAP_BYTES = 256 * 1_048_576;

/**
 * Frees the garbage of loading and running once the process is idle. V8 collects only when it needs more
 * room, so an idle process would keep its garbage. With LangGraph, that is as much as the memory in use.
 */
export class IdleMemory {
  readonly #collect: () => unknown;
  readonly #heapBytes: () => number;
  readonly #quietMs: number;
  readonly #repeatMs: number;
  /** Begins a series of collections when the process has been quiet for `#quietMs`. */
  #start: NodeJS.Timeout | undefined;
  /** Continues a series that has begun. */
  #next: NodeJS.Timeout | undefined;
  #underWay = 0;
  /**
   * Whether a collection may be due: work has ended since the last check, or a series of collections is not
   * complete.
   */
  #isDue = false;
  /** Whether the last series of collections was completed, and not interrupted by work. */
  #isSettled = false;
  /** The smallest size of the heap seen since the last collection; undefined until work has begun. */
  #leastBytes: number | undefined;

  /**
   * The product uses the defaults; tests pass other values.
   * @param heapBytes the present size of the heap
   */
  constructor(
    collect: () => unknown = collectGarbage,
    quietMs = QUIET_MS,
    repeatMs = REPEAT_MS,
    heapBytes: () => number = () => v8.getHeapStatistics().total_physical_size,
  ) {
    this.#collect = collect;
    this.#heapBytes = heapBytes;
    this.#quietMs = quietMs;
    this.#repeatMs = repeatMs;
  }

  /**
   * Waits for work. No collection begins until the work has ended; one may follow if it is worthwhile.
   * @returns the work's result
   */
  async after<Result>(work: Result | Promise<Result>): Promise<Result> {
    this.#underWay++;
    clearTimeout(this.#next);
    if (this.#isSettled) this.#leastBytes ??= this.#heapBytes();
    try {
      return await work;
    } finally {
      this.#underWay--;
      this.#isDue = true;
      this.#start = this.#start?.refresh() ?? setTimeout(() => this.#whenQuiet(), this.#quietMs).unref();
    }
  }

  /** Postpones a due collection, because work is going on that leaves no garbage worth collecting. */
  putOff(): void {
    if (!this.#isDue) return;
    clearTimeout(this.#next);
    this.#start?.refresh();
  }

  /** @param left how many collections of the series are still to be made */
  #whenQuiet(left = COLLECTIONS): void {
    if (this.#underWay > 0) return;
    const isWorthwhile = left < COLLECTIONS || !this.#isSettled || this.#hasGrown();
    this.#isDue = isWorthwhile && left > 1;
    if (!isWorthwhile) return;
    this.#isSettled = left === 1;
    this.#leastBytes = undefined;
    this.#collect();
    if (left > 1) this.#next = setTimeout(() => this.#whenQuiet(left - 1), this.#repeatMs).unref();
  }

  #hasGrown(): boolean {
    const bytes = this.#heapBytes();
    const before = this.#leastBytes ?? bytes;
    this.#leastBytes = Math.min(before, bytes);
    return bytes - before >= WORTHWHILE_BYTES;
  }
}

type Collector = (options: { type: 'major'; execution: 'async'; flavor: 'last-resort' }) => unknown;

let collector: Collector | undefined;

/**
 * Collects garbage and gives pages back to the operating system, unless the heap is larger than `MAX_HEAP_BYTES`.
 */
function collectGarbage(): void {
  if (v8.getHeapStatistics().used_heap_size > MAX_HEAP_BYTES) return;
  if (collector === undefined) {
    v8.setFlagsFromString('--expose-gc');
    // The flag applies to all threads of the process, and another thread may just have reset it.
    collector = vm.runInNewContext('globalThis.gc') as Collector | undefined;
    // The flag is reset, so that the user's own code gets an unchanged global scope.
    v8.setFlagsFromString('--no-expose-gc');
  }
  collector?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
}
