import { createHash } from 'node:crypto';
import type { ExchangePlace, RunExchanges as Wanted } from '../../protocol/protocol.ts';

/** Ordinals of a later attempt come after those of the earlier ones. */
const ORDINALS_PER_ATTEMPT = 1_000_000;

/** A response that has not been read to its end. */
interface OpenExchange {
  /** Keeps what has been read of it. */
  cut(): void;
}

/** The requests of one run, and what is random in it. */
export class RunExchanges {
  readonly runId: string;
  readonly mode: Wanted['mode'];
  /** Those that a run left open are kept when it ends. */
  readonly open = new Set<OpenExchange>();
  /** Why the run was ended: its recording does not answer a request. */
  refused: string | undefined;
  readonly #seed: string;
  readonly #abort: () => void;
  readonly #counts = new Map<string, number>();
  #ordinal: number;

  constructor(runId: string, { mode, seed }: Wanted, attempt: number, abort: () => void) {
    this.runId = runId;
    this.mode = mode;
    this.#seed = seed;
    this.#abort = abort;
    this.#ordinal = (attempt - 1) * ORDINALS_PER_ATTEMPT;
  }

  nextOrdinal(): number {
    return this.#ordinal++;
  }

  /** Ends the run. */
  refuse(message: string): void {
    this.refused ??= message;
    this.#abort();
  }

  /**
   * 16 bytes that are the same in a replay: they follow from the recording, the place, and how often it has asked.
   * @param purpose those who draw for another do not disturb each other.
   */
  randomBytes(purpose: 'number' | 'uuid' | 'message', { node, task }: ExchangePlace): Buffer {
    const place = `${purpose}\n${node}\n${task}`;
    const count = this.#counts.get(place) ?? 0;
    this.#counts.set(place, count + 1);
    return createHash('sha256').update(`${this.#seed}\n${place}\n${count}`).digest().subarray(0, 16);
  }
}
