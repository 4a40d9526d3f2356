import type { Interrupt } from '../../extension/panels/run/journal-entry.ts';
import { Conversation } from './conversation.ts';
import type { ExecutedTask } from './executed-tasks.ts';
import type { WireMessage } from './messages.ts';
import { emptyTranscript, type StopReason, type Transcript } from './transcript-model.ts';
import type { TranscriptRows } from './transcript-rows.ts';

/** A transcript while entries of the journal are played. */
export class TranscriptDraft {
  #state: Transcript;
  readonly graph: Conversation;
  readonly rows: TranscriptRows;
  readonly tasks: ExecutedTask[];

  constructor(transcript: Transcript) {
    this.#state = transcript;
    this.graph = new Conversation(transcript);
    this.rows = this.graph.rows;
    this.tasks = [...transcript.tasks];
  }

  /** The transcript without current rows and tasks, which `finish` adds. */
  get state(): Transcript {
    return this.#state;
  }

  change(part: Partial<Transcript>): void {
    this.#state = { ...this.#state, ...part };
  }

  /** The transcript with all changes. */
  finish(): Transcript {
    return { ...this.#state, ...this.graph.finish(), tasks: this.tasks };
  }

  /** Empties the transcript for another thread, or for the same one that is read again. */
  reset(threadId: string | undefined): void {
    const { paused, resets } = this.#state;
    this.graph.clear();
    this.tasks.length = 0;
    this.#state = { ...emptyTranscript, threadId, paused, resets: resets + 1 };
  }

  putMessage(message: WireMessage, node: string | undefined): void {
    this.change({ hasMessages: true });
    this.graph.messages.put(message, node);
  }

  /** Shows what the thread waits for. Interrupts that are shown already are not repeated. */
  interrupt(interrupts: readonly Interrupt[]): void {
    if (interrupts.length === 0) return;
    this.change({ status: 'interrupted' });
    const index = this.rows.all.findLastIndex((row) => row.kind === 'interrupt' && !row.answered);
    const open = this.rows.all[index];
    if (open?.kind !== 'interrupt') {
      this.rows.push({ kind: 'interrupt', interrupts, answered: false, isPassed: false });
      return;
    }
    // `updates` and `values` both contain the same interrupts. Those of some servers have no IDs.
    const key = ({ id, value }: Interrupt) => id ?? JSON.stringify(value);
    const known = new Set(open.interrupts.map(key));
    const added = interrupts.filter((interrupt) => !known.has(key(interrupt)));
    if (added.length > 0) {
      this.rows.replace(index, { ...open, interrupts: [...open.interrupts, ...added] });
    }
  }

  /** Shows that the thread stopped before nodes, with which it can be continued; nothing without any. */
  stop(reason: StopReason, next: readonly string[]): void {
    // Before the first step, the thread can only be continued with input.
    const nodes = next.filter((node) => node !== '__start__');
    if (nodes.length > 0) this.rows.push({ kind: 'stopped', reason, next: nodes, isOpen: true });
  }
}
