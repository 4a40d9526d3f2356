import { AsyncLocalStorage } from 'node:async_hooks';
import type { JsonObject } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import type { ServerConnection } from '../link/server-link.ts';

/** Fields that prices are looked up by. */
const METADATA = ['ls_provider', 'ls_model_name', 'ls_service_tier', 'usage_metadata'];
const PARAMETERS = ['model', 'model_name', 'modelName', 'model_id', 'service_tier'];
const RESPONSE = [...PARAMETERS, 'modelVersion', 'model_version', 'serviceTier'];

/** A model call that a cap does not allow any more. */
class CostCapReached extends Error {
  override readonly name = 'CostCapReached';
}

/** Has the model calls of runs with a cap ask the server first, and tells it what each of them used. */
export class CostCaps {
  readonly #connection: ServerConnection;
  readonly #storage = new AsyncLocalStorage<CappedRun>();

  constructor(connection: ServerConnection) {
    this.#connection = connection;
  }

  /** Does the work of a run. Code of it that goes on when it has ended makes no more calls. */
  async within<Result>(runId: string, work: () => Promise<Result>): Promise<Result> {
    const run = new CappedRun(runId, this.#connection);
    try {
      return await this.#storage.run(run, work);
    } finally {
      run.end();
    }
  }

  /** The run that the running code belongs to, when it has a cap. */
  get current(): CappedRun | undefined {
    return this.#storage.getStore();
  }
}

/** A run that has a cap on what its model calls cost. */
export class CappedRun {
  readonly #runId: string;
  readonly #connection: ServerConnection;
  /** Why it may make no more calls. */
  #refused: string | undefined;
  /** Model calls that have not ended, and whether others within them have told what they used. */
  readonly #open = new Map<unknown, boolean>();

  constructor(runId: string, connection: ServerConnection) {
    this.#runId = runId;
    this.#connection = connection;
  }

  end(): void {
    this.#refused ??= 'The run has ended.';
  }

  /** @throws CostCapReached when the run may make no more calls. */
  async ask(): Promise<void> {
    if (this.#refused === undefined) {
      const { refused } = await this.#connection.request('model.begin', { run_id: this.#runId });
      this.#refused ??= refused;
    }
    if (this.#refused !== undefined) throw new CostCapReached(this.#refused);
  }

  /**
   * Tells what a call used when it has ended.
   * @param manager LangChain's manager of the call.
   * @param parameters what the model is asked with.
   */
  follow(manager: object, parameters: unknown): void {
    const end: unknown = Reflect.get(manager, 'handleLLMEnd');
    if (typeof end !== 'function') return;
    const id: unknown = Reflect.get(manager, 'runId');
    const parent: unknown = Reflect.get(manager, '_parentRunId');
    const started_at = Date.now();
    const extra = {
      metadata: pick(Reflect.get(manager, 'metadata'), METADATA),
      invocation_params: pick(parameters, PARAMETERS),
    };
    this.#open.set(id, false);
    Reflect.set(manager, 'handleLLMEnd', (result: unknown, ...rest: unknown[]): unknown => {
      const wasTold = this.#open.get(id);
      this.#open.delete(id);
      if (this.#open.has(parent)) this.#open.set(parent, true);
      // A call whose own calls have told what they used is their sum.
      if (wasTold === false) {
        const outputs = outputsOf(result);
        this.#connection.notify('model.end', { run_id: this.#runId, started_at, extra, outputs });
      }
      return Reflect.apply(end, manager, [result, ...rest]);
    });
  }
}

/** The parts of an answer that say its model and usage, where LangChain's tracer would have it. */
function outputsOf(result: unknown): JsonObject {
  if (!isRecord(result)) return {};
  const groups = Array.isArray(result.generations) ? result.generations : [];
  const generations = groups.map((group: unknown) =>
    (Array.isArray(group) ? group : []).map((generation: unknown) => {
      const message = isRecord(generation) && isRecord(generation.message) ? generation.message : {};
      const response_metadata = pick(message.response_metadata, RESPONSE);
      return { message: { usage_metadata: message.usage_metadata, response_metadata } };
    }),
  );
  return { generations, llmOutput: result.llmOutput };
}

function pick(values: unknown, names: readonly string[]): JsonObject {
  if (!isRecord(values)) return {};
  return Object.fromEntries(names.flatMap((name) => (name in values ? [[name, values[name]]] : [])));
}
