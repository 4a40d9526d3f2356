import { createHash, type UUID } from 'node:crypto';
import type { ExchangePlace, RunExecuteParams, RunExchanges as Wanted } from '../../protocol/protocol.ts';
import { idsInState } from './ids-in-state.ts';
import { toUuid } from './to-uuid.ts';

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
  /** The state that the run starts from, which it may itself have made: in an earlier attempt, or when it was recorded. */
  #startFrom: RunExecuteParams['start_from'];
  /** Those of that state; read from it when the first UUID is drawn. */
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
   * A UUID that is the same in a replay. One that the state had before was drawn before, and is drawn no more: LangGraph
   * would take two messages for one.
   * @param purpose those who draw for another do not disturb each other.
   */
  randomUuid(purpose: 'uuid' | 'message' | 'output', place: ExchangePlace): UUID {
    for (;;) {
      const id = toUuid(this.#randomBytes(purpose, place));
      if (!this.#wasDrawnBefore(id)) return id;
    }
  }

  #wasDrawnBefore(id: UUID): boolean {
    this.#idsBefore ??= idsInState(this.#startFrom);
    this.#startFrom = null;
    return this.#idsBefore.has(id);
  }

  /** A number from 0 to 1 that is the same in a replay. */
  randomNumber(place: ExchangePlace): number {
    // 53 bits, as many as a number has.
    return Number(this.#randomBytes('number', place).readBigUInt64BE() >> 11n) / 2 ** 53;
  }

  /** 16 bytes that follow from the recording, the place, and how often it has asked. */
  #randomBytes(purpose: string, { node, task }: ExchangePlace): Buffer {
    const place = `${purpose}\n${node}\n${task}`;
    const count = this.#counts.get(place) ?? 0;
    this.#counts.set(place, count + 1);
    return createHash('sha256').update(`${this.#seed}\n${place}\n${count}`).digest().subarray(0, 16);
  }
}
