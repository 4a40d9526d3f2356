import { sql } from 'kysely';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunEventTable } from '../../storage/state-schema.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Write } from '../../storage/unit.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import { insertEvents } from '../data/run-queries.ts';
import { callInTurns } from './call-in-turns.ts';
import { FairQueue } from './fair-queue.ts';

/** One event of a run's stream. */
export interface StreamedEvent {
  /** The number of the event, which counts from 1 in each run. */
  readonly seq: number;
  /** The event's name. */
  readonly event: string;
  /** JSON text. */
  readonly data: string;
  /** When the event arrived, in ms since the epoch; absent for events that an earlier version stored. */
  readonly at?: number | undefined;
}

/** Numbered events, and the row that they are stored in. */
export interface PreparedEvents {
  readonly events: readonly StreamedEvent[];
  readonly row: RunEventTable;
}

/** The maximum number of the newest events that are kept in memory, and of characters of their data. */
const MAX_TAIL_EVENTS = 4_096;
const MAX_TAIL_CHARS = 4 * 1_048_576;
/**
 * The maximum rows and bytes of a batch for a slow reader, which stays in memory until the reader has read
 * it.
 */
const MAX_READ_ROWS = 64;
const MAX_READ_BYTES = 1_048_576;
/**
 * The maximum number of readers that receive new events in one turn of the event loop. Each takes about 0.1
 * ms.
 */
const MAX_WOKEN_PER_TURN = 100;
/** Schedules the readers of all streams in this process, which has a single event loop. */
const readers = new FairQueue();

/**
 * The stream of a run. Every event is stored before it is shown, so any number of readers can follow from any
 * event, also after a crash. The newest events are in memory for readers that keep up; others read from the
 * database at their own pace.
 */
export class RunStream {
  readonly runId: string;
  readonly #threadId: string;
  readonly #db: StateDatabase;
  readonly #queue: CommitQueue;
  #lastAssigned: number;
  #lastPublished: number;
  #tail: StreamedEvent[] = [];
  #tailChars = 0;
  #ended = false;
  /** The reason why events could not be stored. Once this is set, only the end of the run is stored. */
  #failure: unknown;
  /** Whether older events are removed from memory. */
  #isTrimmed = true;
  readonly #waiting = new Set<() => void>();
  /** Positions of the readers. */
  readonly #readers = new Set<{ seen: number }>();

  /** @param lastSeq the number of the run's last stored event; 0 for a new run. */
  constructor(
    { run_id, thread_id }: { readonly run_id: string; readonly thread_id: string },
    { db, queue }: { readonly db: StateDatabase; readonly queue: CommitQueue },
    lastSeq = 0,
  ) {
    this.runId = run_id;
    this.#threadId = thread_id;
    this.#db = db;
    this.#queue = queue;
    this.#lastAssigned = lastSeq;
    this.#lastPublished = lastSeq;
  }

  /**
   * Numbers events and creates their row; call `publish` once it is committed.
   * @param events names, and data as JSON text.
   */
  prepare(events: readonly (readonly [string, string])[]): PreparedEvents {
    const first_seq = this.#lastAssigned + 1;
    const at = Date.now();
    const numbered = events.map(([event, data], index) => ({ seq: first_seq + index, event, data, at }));
    this.#lastAssigned += events.length;
    const [first, ...others] = events;
    const stored = first === undefined ? [] : [[...first, at], ...others];
    return {
      events: numbered,
      row: { run_id: this.runId, first_seq, last_seq: this.#lastAssigned, events: JSON.stringify(stored) },
    };
  }

  /**
   * Stores events and then shows them to the readers.
   * @param events names, and data as JSON text.
   * @param atOnce stores them without waiting for later writes.
   * @throws the error of the first write that failed; later events are refused with it.
   */
  async append(events: readonly (readonly [string, string])[], atOnce = false): Promise<void> {
    const prepared = this.prepare(events);
    try {
      const write: Write = (unit) => {
        // Earlier events are missing, so these would have the wrong numbers.
        if (this.#failure !== undefined) throw this.#failure;
        unit.insert(insertEvents, [prepared.row]);
      };
      await this.#queue.writeForRun(this.#threadId, write, { atOnce });
    } catch (error) {
      this.#failure ??= error;
      this.giveBack(prepared);
      throw error;
    }
    this.publish(prepared.events);
  }

  /** Frees the numbers of events that could not be stored, for the next events, such as the end of the run. */
  giveBack({ row }: PreparedEvents): void {
    this.#lastAssigned = Math.min(this.#lastAssigned, row.first_seq - 1);
  }

  /** Shows events that this server has stored to all readers, including those of other servers. */
  publish(events: readonly StreamedEvent[]): void {
    this.show(events);
    this.#db.bus.hint(`run:${this.runId}`);
  }

  /** Shows stored events to the readers of this server. */
  show(events: readonly StreamedEvent[]): void {
    for (const event of events) {
      this.#tail.push(event);
      this.#tailChars += event.data.length;
      this.#lastPublished = event.seq;
    }
    this.#trim();
    this.#wake();
  }

  /** Ends the stream. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The number of the newest event that readers can have; 0 before the first. */
  get lastSeq(): number {
    return this.#lastPublished;
  }

  /** The number of the newest event, which may still be being stored. */
  get lastAssigned(): number {
    return this.#lastAssigned;
  }

  /** Whether a reader is further behind than the events in memory. */
  get isReadFromStorage(): boolean {
    const first = this.#tail[0]?.seq ?? this.#lastPublished + 1;
    return [...this.#readers].some(({ seen }) => seen + 1 < first);
  }

  /**
   * Called before the stored events are deleted, so that the remaining events stay in memory until all
   * readers have them.
   */
  keepInMemory(): void {
    this.#isTrimmed = false;
  }

  /**
   * Follows the stream: events after the number `after`, in batches, until the run has ended or `signal` is
   * aborted.
   */
  async *read(after: number, signal: AbortSignal): AsyncGenerator<readonly StreamedEvent[]> {
    const reader = { seen: after };
    this.#readers.add(reader);
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        if (reader.seen < this.#lastPublished) {
          const batch = this.#fromTail(reader.seen) ?? (await this.#readAgain(reader.seen, signal));
          const last = batch.at(-1);
          // The reader has left, or the stored events have been deleted.
          if (last === undefined) return;
          // Only the position is kept, so that the events can be freed.
          yield batch;
          reader.seen = last.seq;
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => this.#waiting.add(resolve));
        }
      }
    } finally {
      this.#readers.delete(reader);
      signal.removeEventListener('abort', wake);
    }
  }

  /**
   * Reads events from the database, and retries while it cannot be reached, as long as there is a reader.
   */
  #readAgain(after: number, signal: AbortSignal): Promise<readonly StreamedEvent[]> {
    return this.#db.outlasting(async () => (signal.aborted ? [] : this.#fromDatabase(after)));
  }

  #fromTail(after: number): readonly StreamedEvent[] | undefined {
    const first = this.#tail[0];
    if (first === undefined || first.seq > after + 1) return undefined;
    return this.#tail.slice(after + 1 - first.seq);
  }

  /** All stored events after the number `after`, in batches. */
  async *readStored(after: number): AsyncGenerator<readonly StreamedEvent[]> {
    for (let seen = after; ; ) {
      const batch = await this.#fromDatabase(seen);
      const last = batch.at(-1);
      if (last === undefined) return;
      yield batch;
      seen = last.seq;
    }
  }

  async #fromDatabase(after: number): Promise<readonly StreamedEvent[]> {
    await readers.take();
    const rowsOfRun = this.#db.selectFrom('run_events').where('run_id', '=', this.runId);
    // The row that contains the next event is found by its key, because otherwise every batch would scan all
    // earlier rows.
    const first = rowsOfRun
      .select(({ fn }) => fn.max('first_seq').as('first_seq'))
      .where('first_seq', '<=', after + 1);
    const following = rowsOfRun
      .where('first_seq', '>=', ({ fn }) => fn.coalesce(first, sql.lit(0)))
      .where('last_seq', '>', after)
      .orderBy('first_seq');
    const sizes = await following
      .select(sql<number>`octet_length(events)`.as('bytes'))
      .limit(MAX_READ_ROWS)
      .execute();
    let count = 0;
    for (let bytes = 0; count < sizes.length && bytes < MAX_READ_BYTES; count++)
      bytes += sizes[count]?.bytes ?? 0;
    const rows = await following.selectAll().limit(count).execute();
    return rows.flatMap(eventsOf).filter((event) => event.seq > after);
  }

  #trim(): void {
    if (!this.#isTrimmed) return;
    let drop = 0;
    while (
      this.#tail.length - drop > MAX_TAIL_EVENTS ||
      (this.#tailChars > MAX_TAIL_CHARS && drop < this.#tail.length - 1)
    ) {
      this.#tailChars -= this.#tail[drop]?.data.length ?? 0;
      drop++;
    }
    if (drop > 0) this.#tail = this.#tail.slice(drop);
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    callInTurns(waiting, MAX_WOKEN_PER_TURN);
  }
}

/** The events that a row stores. */
export function eventsOf(row: RunEventTable): StreamedEvent[] {
  const events = parseStored(row.events);
  const at = events[0]?.[2];
  return events.map(([event, data], index) => ({ seq: row.first_seq + index, event, data, at }));
}
