import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  ExchangeError,
  ExchangePlace,
  ExchangeRequest,
  ExchangeResponse,
  RunExecuteParams,
} from '../../protocol/protocol.ts';
import type { RunContext } from '../context/run-context.ts';
import type { ServerConnection } from '../link/server-link.ts';
import { currentPlace } from './place.ts';
import { RecordedBody } from './recorded-body.ts';
import { RecordedFailure, RecordedResponse } from './recorded-response.ts';
import { RunExchanges } from './run-exchanges.ts';

/** A response whose body is recorded while it arrives. */
export interface ResponseRecorder {
  /** @returns a promise that resolves when there is room for more; undefined if there already is */
  add(piece: Uint8Array): Promise<void> | undefined;
  end(): void;
  /**
   * Called when the reader stopped, or the connection broke, before the end.
   * @param error the reason why the connection broke
   */
  cut(error?: unknown): void;
}

/** A request that is being recorded, which waits for its response. */
export interface Recorded {
  /**
   * Called when the response has begun.
   * @param options.isDecoded whether the body is already decompressed when it is read, whatever its headers
   * say
   */
  answered(
    status: number,
    headers: [string, string][],
    options?: { readonly isDecoded: boolean },
  ): ResponseRecorder;
  failed(error: unknown): void;
}

/** The HTTP requests of runs that are recorded or replayed. */
export class Exchanges {
  readonly #context: RunContext;
  readonly #connection: ServerConnection;
  readonly #runs = new Map<string, RunExchanges>();
  readonly #onActive: (isActive: boolean) => void;
  readonly #passing = new AsyncLocalStorage<true>();

  /**
   * @param onActive called with true when the first recorded or replayed run begins, with false when the last
   * has ended
   */
  constructor(context: RunContext, connection: ServerConnection, onActive: (isActive: boolean) => void) {
    this.#context = context;
    this.#connection = connection;
    this.#onActive = onActive;
  }

  /**
   * Begins to record or replay the requests of a run.
   * @param abort ends the run.
   * @returns undefined for a run that is neither recorded nor replayed.
   */
  begin(
    params: Pick<RunExecuteParams, 'run_id' | 'exchanges' | 'attempt' | 'start_from'>,
    abort: () => void,
  ): RunExchanges | undefined {
    if (params.exchanges === undefined) return undefined;
    const run = new RunExchanges(params, params.exchanges, abort);
    this.#runs.set(run.runId, run);
    if (this.#runs.size === 1) this.#onActive(true);
    return run;
  }

  /**
   * Called when a run has ended: records the responses that it has not read to their end as cut off, and
   * requests without a response as failed.
   */
  end(run: RunExchanges): void {
    for (const exchange of run.open) exchange.cut();
    this.#runs.delete(run.runId);
    if (this.#runs.size === 0) this.#onActive(false);
  }

  /** The run of the current code, if it is recorded or replayed. */
  get current(): RunExchanges | undefined {
    if (this.#runs.size === 0) return undefined;
    const { runId } = this.#context;
    return runId === undefined ? undefined : this.#runs.get(runId);
  }

  /** Sends a request that has been intercepted, so that no other interceptor handles it again. */
  passThrough<Result>(send: () => Result): Result {
    return this.#passing.run(true, send);
  }

  /** Whether the current code sends a request that has already been intercepted. */
  get isPassing(): boolean {
    return this.#passing.getStore() === true;
  }

  /**
   * Looks for the answer to a request in the recording of its run.
   * @returns undefined when the request is to be sent.
   * @throws RecordedFailure, or ReplayDivergence, which ends the run.
   */
  async replay(
    run: RunExchanges,
    request: ExchangeRequest | Promise<ExchangeRequest>,
  ): Promise<RecordedResponse | undefined> {
    if (run.refused !== undefined) throw new ReplayDivergence(run.refused);
    const place = currentPlace();
    const params = { run_id: run.runId, place, request: await request };
    const found = await this.#connection.request('exchange.answer', params);
    const { answer, response, error, message } = found;
    if (answer === 'live') return undefined;
    if (answer === 'recorded' && response !== undefined) {
      const readPart = (part: number) =>
        this.#connection.request('exchange.read_part', {
          run_id: run.runId,
          // An answer with a response always has its ordinal.
          ordinal: found.ordinal ?? 0,
          part,
        });
      return new RecordedResponse(response, error, readPart);
    }
    if (answer === 'recorded') throw new RecordedFailure(error ?? { message: 'The request failed.' });
    const reason = message ?? 'The recording does not answer a request.';
    run.refuse(reason);
    throw new ReplayDivergence(reason);
  }

  /** Records a request that is about to be sent. */
  async record(run: RunExchanges, request: ExchangeRequest | Promise<ExchangeRequest>): Promise<Recorded> {
    const recorded = { place: currentPlace(), ordinal: run.nextOrdinal() };
    const described = await request;
    return this.#startRecording(run, recorded, () => described);
  }

  /**
   * Records a request whose body may still be incomplete when its response arrives.
   * @param describe called when the response has ended
   */
  recordAsSent(run: RunExchanges, describe: () => ExchangeRequest): Recorded {
    return this.#startRecording(run, { place: currentPlace(), ordinal: run.nextOrdinal() }, describe);
  }

  #startRecording(
    run: RunExchanges,
    { place, ordinal }: { place: ExchangePlace; ordinal: number },
    describe: () => ExchangeRequest,
  ): Recorded {
    const start = Date.now();
    const send = (response: ExchangeResponse | null, error?: unknown) =>
      this.#connection.notify('exchange.record', {
        run_id: run.runId,
        ordinal,
        place,
        request: describe(),
        response,
        times: { start, end: Date.now() },
        ...(error === undefined ? {} : { error: describeFailure(error) }),
      });
    const fail = (error: unknown) => {
      if (run.open.delete(unanswered)) send(null, error);
    };
    const unanswered = { cut: () => fail('The run ended before there was an answer.') };
    run.open.add(unanswered);
    return {
      failed: fail,
      answered: (status, headers, { isDecoded } = { isDecoded: false }) => {
        // Otherwise, the run has ended, and the request is recorded as failed.
        if (!run.open.delete(unanswered)) return UNRECORDED;
        const body = new RecordedBody(headers, isDecoded, async (part) => {
          await this.#connection.request('exchange.record_part', { run_id: run.runId, ordinal, ...part });
        });
        const close = (how: { cut?: true }, error?: unknown) => {
          if (run.open.delete(recorder)) send({ status, ...body.finish(), ...how }, error);
        };
        const recorder: ResponseRecorder = {
          add: (piece) => body.add(piece),
          end: () => close({}),
          cut: (error) => close({ cut: true }, error),
        };
        run.open.add(recorder);
        return recorder;
      },
    };
  }
}

/** For a response that comes after the end of its run. */
const UNRECORDED: ResponseRecorder = { add: () => undefined, end: () => {}, cut: () => {} };

/** A replay sent a request that was not recorded, which ends the run. */
export class ReplayDivergence extends Error {
  override readonly name = 'ReplayDivergence';
}

/** Describes why a request failed. Errors of `fetch` have the reason only in their cause. */
function describeFailure(thrown: unknown): ExchangeError {
  const error = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, name } = error;
  const code = 'code' in error ? error.code : undefined;
  return { message, types: [name], ...(typeof code === 'string' ? { code } : {}) };
}
