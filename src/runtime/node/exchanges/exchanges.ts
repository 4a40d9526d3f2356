import type {
  ExchangePlace,
  ExchangeRequest,
  ExchangeResponse,
  RunExecuteParams,
} from '../../protocol/protocol.ts';
import type { RunContext } from '../run-context.ts';
import type { ServerConnection } from '../server-link.ts';
import { fromChunks, toBody, toChunks } from './body-text.ts';
import { currentPlace } from './place.ts';
import { RunExchanges } from './run-exchanges.ts';

/** Responses that have no body, and for which none can be made. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** A request that is kept: what it is answered is told to it. */
export interface Recorded {
  /** Keeps a response, whose body is kept while it is read. @returns the response to be read instead. */
  answered(response: Response): Response;
  failed(error: unknown): void;
}

/** The HTTP requests of runs that are recorded or replayed. */
export class Exchanges {
  readonly #context: RunContext;
  readonly #connection: ServerConnection;
  readonly #runs = new Map<string, RunExchanges>();
  readonly #onActive: (isActive: boolean) => void;

  /** @param onActive called when the first of such runs begins, and when the last has ended. */
  constructor(context: RunContext, connection: ServerConnection, onActive: (isActive: boolean) => void) {
    this.#context = context;
    this.#connection = connection;
    this.#onActive = onActive;
  }

  /** @param abort ends the run. @returns undefined for a run that is neither recorded nor replayed. */
  begin(
    { run_id, exchanges, attempt }: Pick<RunExecuteParams, 'run_id' | 'exchanges' | 'attempt'>,
    abort: () => void,
  ): RunExchanges | undefined {
    if (exchanges === undefined) return undefined;
    const run = new RunExchanges(run_id, exchanges, attempt, abort);
    this.#runs.set(run_id, run);
    if (this.#runs.size === 1) this.#onActive(true);
    return run;
  }

  end(run: RunExchanges): void {
    for (const exchange of run.open) exchange.cut();
    this.#runs.delete(run.runId);
    if (this.#runs.size === 0) this.#onActive(false);
  }

  /** The run that the running code belongs to, when its requests are recorded or replayed. */
  get current(): RunExchanges | undefined {
    if (this.#runs.size === 0) return undefined;
    const { runId } = this.#context;
    return runId === undefined ? undefined : this.#runs.get(runId);
  }

  /**
   * Looks for the answer to a request in the recording of its run.
   * @returns undefined when the request is to be sent.
   * @throws the recorded error, or that the recording does not answer, which ends the run.
   */
  async replay(run: RunExchanges, request: Request): Promise<Response | undefined> {
    if (run.refused !== undefined) throw new ReplayDivergence(run.refused);
    const place = currentPlace();
    const params = { run_id: run.runId, place, request: await describe(request) };
    const { answer, response, error, message } = await this.#connection.request('exchange.answer', params);
    if (answer === 'live') return undefined;
    if (answer === 'recorded' && response !== undefined) return toResponse(response, request.url);
    if (answer === 'recorded') {
      const { message: why = 'The request failed.', code } = error ?? {};
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(why), { code }) });
    }
    run.refuse(message ?? 'The recording does not answer a request.');
    throw new ReplayDivergence(message ?? '');
  }

  /** Keeps a request that is sent. */
  async record(run: RunExchanges, request: Request): Promise<Recorded> {
    const place = currentPlace();
    const ordinal = run.nextOrdinal();
    return this.#recorded(run, place, ordinal, await describe(request));
  }

  #recorded(run: RunExchanges, place: ExchangePlace, ordinal: number, request: ExchangeRequest): Recorded {
    const tell = (response: ExchangeResponse | null, error?: unknown) =>
      this.#connection.notify('exchange.record', {
        run_id: run.runId,
        ordinal,
        place,
        request,
        response,
        ...(error === undefined ? {} : { error: describeFailure(error) }),
      });
    return {
      failed: (error) => tell(null, error),
      answered: (response) => {
        const { status } = response;
        const headers = [...response.headers];
        const pieces: Uint8Array[] = [];
        const keep = (cut: boolean) => {
          if (!run.open.delete(open)) return;
          tell({ status, headers, ...toChunks(pieces), ...(cut ? { cut } : {}) });
        };
        const open = { cut: () => keep(true) };
        run.open.add(open);
        if (response.body === null) {
          keep(false);
          return response;
        }
        return withBody(response, kept(response.body, pieces, keep));
      },
    };
  }
}

/** A request that was not recorded; the run ends with it. */
export class ReplayDivergence extends Error {
  override readonly name = 'ReplayDivergence';
}

/** The same body, of which every piece is kept. */
function kept(
  body: ReadableStream<Uint8Array>,
  pieces: Uint8Array[],
  ended: (cut: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            ended(false);
            controller.close();
            return;
          }
          pieces.push(value.slice());
          controller.enqueue(value);
        } catch (error) {
          ended(true);
          controller.error(error);
        }
      },
      async cancel(reason) {
        ended(true);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function toResponse(recorded: ExchangeResponse, url: string): Response {
  const { status, headers } = recorded;
  const pieces = fromChunks(recorded);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (recorded.cut) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  const made = new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers });
  return Object.defineProperty(made, 'url', { value: url });
}

function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected, type } = response;
  const made = new Response(body, { status, statusText, headers });
  for (const [name, value] of Object.entries({ url, redirected, type })) {
    Object.defineProperty(made, name, { value });
  }
  return made;
}

async function describe(request: Request): Promise<ExchangeRequest> {
  const { method, url, headers, body } = request;
  return {
    method,
    url,
    headers: [...headers],
    body: body === null ? null : toBody(new Uint8Array(await request.clone().arrayBuffer())),
  };
}

/** What was wrong, which `fetch` only says in the cause. */
function describeFailure(thrown: unknown): { message: string; code?: string } {
  const error = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { message, ...(typeof code === 'string' ? { code } : {}) };
}
