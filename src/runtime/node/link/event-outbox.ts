import inspector from 'node:inspector';
import { MessageTooLargeError } from '../../protocol/connection.ts';
import type { JsonText } from '../../protocol/protocol.ts';
import type { ServerLink } from './server-link.ts';
import { toJsonText } from './wire-format.ts';

/** The maximum number of events that are collected before they are sent. */
const MAX_COLLECTED_EVENTS = 256;
/** How many events from the nodes of a run are sent immediately, one by one, per `MAX_WAIT_MS`. */
const MAX_IMMEDIATE_EVENTS = 3;
/** After this wait, the next event sends the waiting events with it, because the current turn may be long. */
const MAX_WAIT_MS = 5;
/**
 * Once more characters than this are collected, they are sent, so that the server stores and forwards them during the
 * run.
 */
const MAX_COLLECTED_CHARS = 65_536;
/** The maximum number of characters in one event. Escaped in its message, the event may have twice as many. */
const MAX_EVENT_CHARS = 200_000_000;

/**
 * Collects the events of an event loop turn and sends them as one notification per run.
 */
export class EventOutbox {
  readonly #link: ServerLink;
  readonly #waiting = new Set<RunEvents>();

  constructor(link: ServerLink) {
    this.#link = link;
    link.connection.onBeforeFlush(() => {
      for (const events of this.#waiting) events.sendReleased();
    });
  }

  /** Creates the queue for the events of a run. Must be called once per run, because a second queue would not wait. */
  open(runId: string): RunEvents {
    return new RunEvents(runId, this.#link, this.#waiting);
  }
}

/** Holds back the events of a task until its writes are sent. */
export interface Hold {
  /** Resolves when the writes of all tasks that ended earlier have been sent. */
  readonly earlierSent: Promise<void>;
  /** Must be called exactly once, when the task's writes have been sent, or never will be. */
  release(): void;
}

/** Events that can be held back. */
export interface HeldEvents {
  hold(): Hold;
  /** Resolves when all events that are currently held back have been released. */
  readonly released: Promise<void>;
}

/** The events of a run that have not been sent yet. */
export class RunEvents implements HeldEvents {
  readonly #runId: string;
  readonly #link: ServerLink;
  readonly #waiting: Set<RunEvents>;
  #events: [string, JsonText][] = [];
  /** When the oldest collected event was created. */
  #since = 0;
  #chars = 0;
  /** For each hold, in order, the index of the first event that it holds back. */
  readonly #held: { first: number; readonly released: Promise<void> }[] = [];
  #immediateSince = Number.NEGATIVE_INFINITY;
  #immediate = 0;

  constructor(runId: string, link: ServerLink, waiting: Set<RunEvents>) {
    this.#runId = runId;
    this.#link = link;
    this.#waiting = waiting;
  }

  /** Collects an event. @returns its data as text. @throws MessageTooLargeError */
  emit(name: string, data: unknown): JsonText {
    const text = toJsonText(data);
    const now = performance.now();
    if (text.length > MAX_EVENT_CHARS) {
      throw new MessageTooLargeError(
        `An event of the stream mode '${name}' is larger than ${MAX_EVENT_CHARS / 1e6} MB as JSON. Keep large data in files or in the store, and only a reference in the state.`,
      );
    }
    if (this.#events.length === 0) {
      this.#since = now;
      this.#waiting.add(this);
      this.#link.connection.scheduleFlush();
    }
    this.#events.push([name, text]);
    this.#chars += text.length;
    const isBurst = this.#events.length === MAX_COLLECTED_EVENTS;
    const isLate = now - this.#since > MAX_WAIT_MS;
    // A debugger may hold the process before its turn ends.
    const isDebugged = inspector.url() !== undefined;
    if (isBurst || isLate || isDebugged || this.#chars > MAX_COLLECTED_CHARS) this.#link.connection.flush();
    return text;
  }

  /**
   * Sends a node's events without waiting for the end of the turn, which may take long while the node computes. Only the
   * first few are sent one by one, so that many events still become a few messages.
   */
  sendSoon(): void {
    const now = performance.now();
    if (now - this.#immediateSince > MAX_WAIT_MS) {
      this.#immediateSince = now;
      this.#immediate = 0;
    }
    if (this.#immediate++ >= MAX_IMMEDIATE_EVENTS) return;
    // The events are sent ahead of the checkpoint that precedes the node. It is still waiting to be sent,
    // and the server would store it first.
    const events = this.#takeNodeEvents();
    if (events.length > 0)
      this.#link.connection.notifyFirst('run.events', { run_id: this.#runId, events, at_once: true });
    this.#link.connection.flush();
  }

  /**
   * Holds back new events until the writes of a task are sent. Both are sent in one message: if the server died in
   * between, the events would be repeated with the task, or never arrive.
   */
  hold(): Hold {
    const earlierSent = this.released;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = { first: this.#events.length, released };
    this.#held.push(held);
    return {
      earlierSent,
      release: () => {
        this.#held.splice(this.#held.indexOf(held), 1);
        release();
        if (this.#events.length > 0) this.#link.connection.scheduleFlush();
      },
    };
  }

  get released(): Promise<void> {
    return this.#held.at(-1)?.released ?? Promise.resolve();
  }

  /** Called before the connection sends its messages, at the latest at the end of the turn. */
  sendReleased(): void {
    this.#send(this.#take(this.#releasedCount));
  }

  /** Passes all collected events to the connection, for example before the answer of the run. */
  send(): void {
    this.#send(this.#take(this.#events.length));
  }

  #send(events: [string, JsonText][]): void {
    if (events.length > 0) this.#link.connection.notify('run.events', { run_id: this.#runId, events });
  }

  get #releasedCount(): number {
    return this.#held[0]?.first ?? this.#events.length;
  }

  /** Takes the events that may be sent now, if all of them come from nodes themselves; otherwise nothing. */
  #takeNodeEvents(): [string, JsonText][] {
    const count = this.#releasedCount;
    return this.#events.every(([name], at) => at >= count || isFromNode(name)) ? this.#take(count) : [];
  }

  #take(count: number): [string, JsonText][] {
    if (count === this.#events.length) this.#waiting.delete(this);
    if (count === 0) return [];
    const events = this.#events.splice(0, count);
    for (const held of this.#held) held.first = Math.max(0, held.first - count);
    this.#chars = this.#events.reduce((sum, [, { length }]) => sum + length, 0);
    this.#since = performance.now();
    return events;
  }

  /** Whether the run should pause, because the server has not read what was sent. */
  get isFull(): boolean {
    return this.#events.length >= MAX_COLLECTED_EVENTS || this.#link.connection.congested;
  }

  /** Waits until the collected events have been sent, and until a slow server has read them. */
  async drain(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await this.#link.caughtUp();
  }
}

/** Whether a node itself has written an event, unlike LangGraph's reports of supersteps. */
function isFromNode(name: string): boolean {
  return name === 'custom' || name.startsWith('custom|');
}
