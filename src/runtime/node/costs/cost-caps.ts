import { AsyncLocalStorage } from 'node:async_hooks';
import type { JsonObject, ModelBeginResult } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import type { ServerConnection } from '../link/server-link.ts';

// The fields that the server needs to look up prices: of a call's metadata, its parameters, and the metadata
// of its response.
const METADATA_FIELDS = ['ls_provider', 'ls_model_name', 'ls_service_tier', 'usage_metadata'];
const PARAMETER_FIELDS = ['model', 'model_name', 'modelName', 'model_id', 'service_tier'];
const RESPONSE_FIELDS = [...PARAMETER_FIELDS, 'modelVersion', 'model_version', 'serviceTier'];

/** A model call was refused, because its run has reached a cap on costs, or has ended. */
class CostCapReached extends Error {
  override readonly name = 'CostCapReached';
}

/**
 * In a run with a cap, asks the server before each model call whether it is allowed, and reports its usage.
 */
export class CostCaps {
  readonly #connection: ServerConnection;
  readonly #storage = new AsyncLocalStorage<CappedRun>();

  constructor(connection: ServerConnection) {
    this.#connection = connection;
  }

  /**
   * Runs the code of a run with a cap. Model calls of code that continues after the end of the run are
   * refused.
   */
  async within<Result>(runId: string, work: () => Promise<Result>): Promise<Result> {
    const run = new CappedRun(runId, this.#connection);
    try {
      return await this.#storage.run(run, work);
    } finally {
      run.end();
    }
  }

  /** The run to which the current code belongs, when it has a cap. */
  get current(): CappedRun | undefined {
    return this.#storage.getStore();
  }
}

/** A run with a cap on the costs of its model calls. */
export class CappedRun {
  readonly #runId: string;
  readonly #connection: ServerConnection;
  /** Why the run may make no more calls; undefined while it may. */
  #refused: string | undefined;
  /** The last request that asked whether a call is allowed. */
  #asked: Promise<ModelBeginResult> | undefined;
  /** Open model calls, each with whether a call within it has already reported its usage. */
  readonly #open = new Map<unknown, boolean>();

  constructor(runId: string, connection: ServerConnection) {
    this.#runId = runId;
    this.#connection = connection;
  }

  end(): void {
    this.#refused ??= 'The run has ended.';
  }

  /**
   * Asks the server whether the run may call a model.
   * @throws CostCapReached when it may not
   */
  async ask(): Promise<void> {
    if (this.#refused === undefined) {
      this.#asked = this.#connection.request('model.begin', { run_id: this.#runId });
      const { refused } = await this.#asked;
      this.#refused ??= refused;
    }
    if (this.#refused !== undefined) throw new CostCapReached(this.#refused);
  }

  /**
   * Why the run may make no more calls; undefined if it may. Waits for the answer to the last request, which
   * has the reason if the run ended because of the cap.
   */
  async refusal(): Promise<string | undefined> {
    // The request fails if the server is gone.
    const answer = await this.#asked?.catch(() => undefined);
    return this.#refused ?? answer?.refused;
  }

  /**
   * Reports the usage of a call when it ends.
   * @param manager LangChain's callback manager of the call.
   * @param parameters the parameters of the request to the model.
   */
  follow(manager: object, parameters: unknown): void {
    const end: unknown = Reflect.get(manager, 'handleLLMEnd');
    if (typeof end !== 'function') return;
    const id: unknown = Reflect.get(manager, 'runId');
    const parent: unknown = Reflect.get(manager, '_parentRunId');
    const started_at = Date.now();
    const extra = {
      metadata: pick(Reflect.get(manager, 'metadata'), METADATA_FIELDS),
      invocation_params: pick(parameters, PARAMETER_FIELDS),
    };
    this.#open.set(id, false);
    Reflect.set(manager, 'handleLLMEnd', (result: unknown, ...rest: unknown[]): unknown => {
      const wasReported = this.#open.get(id);
      this.#open.delete(id);
      if (this.#open.has(parent)) this.#open.set(parent, true);
      // The usage of a call that contains others is the sum of theirs, which have been reported.
      if (wasReported === false) {
        const outputs = outputsOf(result);
        this.#connection.notify('model.end', { run_id: this.#runId, started_at, extra, outputs });
      }
      return Reflect.apply(end, manager, [result, ...rest]);
    });
  }
}

/** The model and the usage of a call, in the fields in which LangChain's tracer sends them. */
function outputsOf(result: unknown): JsonObject {
  if (!isRecord(result)) return {};
  const groups = Array.isArray(result.generations) ? result.generations : [];
  const generations = groups.map((group: unknown) =>
    (Array.isArray(group) ? group : []).map((generation: unknown) => {
      const message = isRecord(generation) && isRecord(generation.message) ? generation.message : {};
      const response_metadata = pick(message.response_metadata, RESPONSE_FIELDS);
      return { message: { usage_metadata: message.usage_metadata, response_metadata } };
    }),
  );
  return { generations, llmOutput: result.llmOutput };
}

function pick(values: unknown, names: readonly string[]): JsonObject {
  if (!isRecord(values)) return {};
  return Object.fromEntries(names.flatMap((name) => (name in values ? [[name, values[name]]] : [])));
}
