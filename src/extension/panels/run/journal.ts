import type { JournalEntry, StreamEvent } from './journal-entry.ts';

/**
 * A panel draws at most once per frame, so entries within this time of the last message are sent together.
 */
const FRAME_MS = 16;
/**
 * With more stream events than this, those of earlier runs are dropped, then the first ones of the current
 * run. Their effect on the thread's state stays.
 */
const MAX_EVENTS = 50_000;
/**
 * How many events of a long run are kept when its first ones are dropped: fewer than the maximum, so that
 * this is rare.
 */
const KEPT_EVENTS = 40_000;
/** The maximum number of events in one entry, because entries are dropped as a whole. */
const MAX_ENTRY_EVENTS = 1_000;

/**
 * The maximum number of stream events per message when everything is replayed, so that the panel can draw in
 * between.
 */
const MAX_REPLAYED_EVENTS = 5_000;

/** Everything the panel shows, kept to be replayed to a webview that was hidden, and sent in frames. */
export class Journal {
  #entries: JournalEntry[] = [];
  /** The entries that wait to be sent. */
  #pending: JournalEntry[] = [];
  /** How many stream events the entries have. */
  #events = 0;
  /** The stream entry that waits to be sent, and takes more events until then. */
  #open:
    | { readonly run_id: string; readonly entry: JournalEntry; readonly events: StreamEvent[] }
    | undefined;
  /** Cancels the next message; undefined when nothing waits to be sent. */
  #stopWaiting: (() => void) | undefined;
  /** When the last message was sent, as `performance.now()`. */
  #sentAt = Number.NEGATIVE_INFINITY;
  #send: ((entries: readonly JournalEntry[]) => void) | undefined;

  /** Replays everything to a listener, then sends new entries. */
  play(send: (entries: readonly JournalEntry[]) => void): void {
    this.#stop();
    this.#pending = [];
    this.#send = send;
    for (const part of partsOf(this.#entries)) send(part);
  }

  add(entry: JournalEntry): void {
    if (entry.type === 'reset') {
      // Whether a debugger holds the process does not depend on the thread that is shown.
      this.#entries = this.#entries.filter(({ type }) => type === 'paused').slice(-1);
      this.#events = 0;
    }
    this.#entries.push(entry);
    this.#pending.push(entry);
    this.#stopWaiting ??= after(this.#sentAt + FRAME_MS - performance.now(), () => this.#flush());
  }

  /** Adds an event of a run to those that will be sent together. */
  addEvent(run_id: string, event: StreamEvent): void {
    if (
      this.#open?.run_id !== run_id ||
      this.#pending.at(-1) !== this.#open.entry ||
      this.#open.events.length >= MAX_ENTRY_EVENTS
    ) {
      const events: StreamEvent[] = [];
      const entry: JournalEntry = { type: 'stream', run_id, events };
      this.#open = { run_id, entry, events };
      this.add(entry);
    }
    this.#open.events.push(event);
    this.#events++;
    if (this.#events > MAX_EVENTS) this.#trim(run_id);
  }

  dispose(): void {
    this.#stop();
    this.#send = undefined;
  }

  #flush(): void {
    this.#stopWaiting = undefined;
    const pending = this.#pending;
    this.#pending = [];
    this.#sentAt = performance.now();
    this.#send?.(pending);
  }

  #stop(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
  }

  /** Drops the progress of earlier runs and, if that is not enough, the first events of the current one. */
  #trim(current: string): void {
    this.#entries = this.#entries.filter((entry) => !isProgress(entry) || entry.run_id === current);
    this.#events = this.#entries.reduce((sum, entry) => sum + eventsOf(entry), 0);
    if (this.#events > MAX_EVENTS) this.#dropFirst(current, this.#events - KEPT_EVENTS);
  }

  /** Drops the first entries of a run's stream, and notes in their place how many events they had. */
  #dropFirst(run_id: string, count: number): void {
    let dropped = 0;
    let events = 0;
    const kept = this.#entries.filter((entry) => {
      if (entry.type === 'dropped') events += entry.events;
      if (entry.type !== 'stream' || dropped >= count) return entry.type !== 'dropped';
      dropped += entry.events.length;
      return false;
    });
    events += dropped;
    this.#events -= dropped;
    const first = kept.findIndex((entry) => entry.type === 'stream');
    kept.splice(first < 0 ? kept.length : first, 0, { type: 'dropped', run_id, events });
    this.#entries = kept;
  }
}

/**
 * Calls back after a time or, if there is none left, after pending I/O.
 * @returns a function that cancels the call
 */
function after(ms: number, call: () => void): () => void {
  if (ms <= 0) {
    const immediate = setImmediate(call);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/**
 * All entries in order, in parts with no more events than a panel plays within a frame; at least one part.
 */
function partsOf(entries: readonly JournalEntry[]): JournalEntry[][] {
  const parts: JournalEntry[][] = [];
  let part: JournalEntry[] = [];
  let events = 0;
  for (const entry of entries) {
    if (events > 0 && events + eventsOf(entry) > MAX_REPLAYED_EVENTS) {
      parts.push(part);
      part = [];
      events = 0;
    }
    part.push(entry);
    events += eventsOf(entry);
  }
  return [...parts, part];
}

/** Whether an entry only shows the progress of a run. */
function isProgress(
  entry: JournalEntry,
): entry is Extract<JournalEntry, { type: 'stream' | 'task' | 'dropped' }> {
  return entry.type === 'stream' || entry.type === 'task' || entry.type === 'dropped';
}

function eventsOf(entry: JournalEntry): number {
  return entry.type === 'stream' ? entry.events.length : 0;
}
