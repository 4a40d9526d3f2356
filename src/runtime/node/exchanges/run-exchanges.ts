import { createHash, type UUID } from 'node:crypto';
import type { ExchangePlace, RunExecuteParams, RunExchanges as Wanted } from '../../protocol/protocol.ts';
import { idsInState } from './ids-in-state.ts';
import { toUuid } from './to-uuid.ts';

/**
 * The number of ordinals that each attempt may use, so that the ordinals of a later attempt follow all
 * earlier ones.
 */
const ORDINALS_PER_ATTEMPT = 1_000_000;

/** A request without a response, or a response that has not been read to its end. */
interface OpenExchange {
  /** Records what has been received so far. */
  cut(): void;
}

/** The requests of one run, and its random values. */
export class RunExchanges {
  readonly runId: string;
  readonly mode: Wanted['mode'];
  /** Exchanges that are still open; they are recorded when the run ends. */
  readonly open = new Set<OpenExchange>();
  /** Why the run was ended, if its recording does not answer a request. */
  refused: string | undefined;
  readonly #seed: string;
  /**
   * The state that the run starts from. It may contain UUIDs of this run, from an earlier attempt or from the
   * recording.
   */
  #startFrom: RunExecuteParams['start_from'];
  /** The UUIDs in that state; read when the first UUID is drawn. */
  #idsBefore: ReadonlySet<string> | undefined;
  readonly #abort: () => void;
  readonly #counts = new Map<string, number>();
  #ordinal: number;

  constructor(
    { run_id, attempt, start_from }: Pick<RunExecuteParams, 'run_id' | 'attempt' | 'start_from'>,
    { mode, seed }: Wanted,
    abort: () => void,
  ) {
    this.runId = run_id;
    this.#startFrom = start_from;
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
   * A UUID that is the same in a replay. UUIDs of the start state are skipped, because LangGraph would take
   * two messages with the same ID for one.
   * @param purpose the UUIDs for different purposes are independent of each other.
   */
  randomUuid(purpose: 'uuid' | 'message' | 'output', place: ExchangePlace): UUID {
    for (;;) {
      const id = toUuid(this.#randomBytes(purpose, place));
      if (!this.#wasDrawnBefore(id)) return id;
    }
  }

  #wasDrawnBefore(id: UUID): boolean {
    this.#idsBefore ??= idsInState(this.#startFrom);
    // The state may be large.
    this.#startFrom = null;
    return this.#idsBefore.has(id);
  }

  /** A number of at least 0 and below 1 that is the same in a replay. */
  randomNumber(place: ExchangePlace): number {
    // 53 bits, the precision of a number.
    return Number(this.#randomBytes('number', place).readBigUInt64BE() >> 11n) / 2 ** 53;
  }

  /**
   * 16 bytes, derived from the seed, the purpose, the place, and the number of earlier calls with the same
   * purpose and place.
   */
  #randomBytes(purpose: string, { node, task }: ExchangePlace): Buffer {
    const place = `${purpose}\n${node}\n${task}`;
    const count = this.#counts.get(place) ?? 0;
    this.#counts.set(place, count + 1);
    return createHash('sha256').update(`${this.#seed}\n${place}\n${count}`).digest().subarray(0, 16);
  }
}
