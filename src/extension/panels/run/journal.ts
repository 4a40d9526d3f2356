import type { JournalEntry, StreamEvent } from './messages.ts';

/** Duration of a frame; its entries are sent in one message. */
const FRAME_MS = 16;
/** Beyond this the stream events of earlier runs are dropped; what they left in the thread's state stays. */
const MAX_EVENTS = 50_000;

/** Everything the panel shows, kept to be replayed to a webview that was hidden, and sent in frames. */
export class Journal {
  #entries: JournalEntry[] = [];
  #pending: JournalEntry[] = [];
  #events = 0;
  /** The stream entry that is still waiting to be sent. */
  #open:
    | { readonly run_id: string; readonly entry: JournalEntry; readonly events: StreamEvent[] }
    | undefined;
  #timer: NodeJS.Timeout | undefined;
  #send: ((entries: readonly JournalEntry[]) => void) | undefined;

  /** Replays everything to a listener, then sends new entries. */
  play(send: (entries: readonly JournalEntry[]) => void): void {
    this.#stopTimer();
    this.#pending = [];
    this.#send = send;
    send([...this.#entries]);
  }

  add(entry: JournalEntry): void {
    if (entry.type === 'reset') {
      // A debugger holds the process whatever is shown.
      this.#entries = this.#entries.filter(({ type }) => type === 'paused').slice(-1);
      this.#events = 0;
    }
    this.#entries.push(entry);
    this.#pending.push(entry);
    this.#timer ??= setTimeout(() => this.#flush(), FRAME_MS);
  }

  /** Adds an event of a run, to those that wait to be sent with it. */
  addEvent(run_id: string, event: StreamEvent): void {
    if (this.#open?.run_id !== run_id || this.#pending.at(-1) !== this.#open.entry) {
      const events: StreamEvent[] = [];
      const entry: JournalEntry = { type: 'stream', run_id, events };
      this.#open = { run_id, entry, events };
      this.add(entry);
    }
    this.#open.events.push(event);
    this.#trim(1);
  }

  dispose(): void {
    this.#stopTimer();
    this.#send = undefined;
  }

  #flush(): void {
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = [];
    this.#send?.(pending);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #trim(added: number): void {
    this.#events += added;
    if (this.#events <= MAX_EVENTS) return;
    const current = this.#entries.findLast((entry) => entry.type === 'stream')?.run_id;
    this.#entries = this.#entries.filter(
      (entry) => (entry.type !== 'stream' && entry.type !== 'task') || entry.run_id === current,
    );
    this.#events = this.#entries.reduce(
      (sum, entry) => sum + (entry.type === 'stream' ? entry.events.length : 0),
      0,
    );
  }
}
