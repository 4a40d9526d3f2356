import { isRecord } from '../langgraph-types.ts';

const MESSAGE = 'interrupted: the run ended before this did.';

/** Imports a module of the user's own LangChain. */
interface Importer {
  importModule(specifier: string): Promise<Record<string, unknown>>;
}

/** The part of LangChain's tracer that is used. */
interface Tracer {
  /** The span, which stays known until the tracer itself ends it. */
  getRunById(id: string): unknown;
  onRunCreate(span: unknown): Promise<void>;
  onRunUpdate(span: unknown): Promise<void>;
}

const patched = new WeakSet<Tracer>();
/** When and how spans were ended that had not reported their end, by the tracer that goes on to know them. */
const ended = new WeakMap<Tracer, Map<string, { readonly at: number; readonly error: string }>>();
/** The open spans of each run that is followed, and who traces them, by their ids. */
const followed = new Map<string, Map<string, Tracer>>();

/**
 * The spans of one run that have begun and not ended. When the signal of a run is aborted, LangChain stops reading the
 * graph's stream, maybe before the graph reports its end. Code that ignores the signal may never report one either.
 */
export class OpenSpans {
  readonly #runId: string;
  readonly #open = new Map<string, Tracer>();

  constructor(runId: string) {
    this.#runId = runId;
    followed.set(runId, this.#open);
  }

  /** Follows the run no more. */
  forget(): void {
    followed.delete(this.#runId);
  }

  /**
   * Ends what is still open, after what has been reported until now; later reports add to what they end.
   * @param error of these spans.
   */
  async end(langgraph: Importer, error = MESSAGE): Promise<void> {
    const { consumeCallback } = await langgraph.importModule('@langchain/core/callbacks/promises');
    if (typeof consumeCallback !== 'function') return this.forget();
    await consumeCallback(async () => {
      this.forget();
      // A span that cannot be sent, for example because of the user's own filter, keeps no other from its end.
      await Promise.allSettled([...this.#open].map(([id, tracer]) => endSpan(tracer, id, error)));
    }, false);
  }
}

/** Makes LangChain's tracer note the open spans of the runs that are followed. */
export function patchTracer(module: Readonly<Record<string, unknown>>): void {
  const { LangChainTracer } = module;
  if (typeof LangChainTracer !== 'function') return;
  const tracer: unknown = LangChainTracer.prototype;
  if (!isTracer(tracer) || patched.has(tracer)) return;
  patched.add(tracer);
  const { onRunCreate, onRunUpdate } = tracer;
  tracer.onRunCreate = function (span) {
    if (isSpan(span)) followed.get(span.trace_id)?.set(span.id, this);
    return onRunCreate.call(this, span);
  };
  tracer.onRunUpdate = function (span) {
    if (isSpan(span)) {
      followed.get(span.trace_id)?.delete(span.id);
      const end = ended.get(this)?.get(span.id);
      // It has ended as failed already. One that reports a result after that has it, and keeps its end.
      if (end !== undefined && span.error !== end.error) return Promise.resolve();
      if (end !== undefined) span.end_time = end.at;
    }
    return onRunUpdate.call(this, span);
  };
}

/** The tracer keeps the span, and with it the error, for code that reports its end later. */
async function endSpan(tracer: Tracer, id: string, error: string): Promise<void> {
  const span = tracer.getRunById(id);
  if (!isRecord(span)) return;
  const at = Date.now();
  span.end_time = at;
  span.error = error;
  const byTracer = ended.get(tracer) ?? new Map<string, { at: number; error: string }>();
  ended.set(tracer, byTracer.set(id, { at, error }));
  await tracer.onRunUpdate(span);
}

function isTracer(value: unknown): value is Tracer {
  return (
    isRecord(value) &&
    ['getRunById', 'onRunCreate', 'onRunUpdate'].every((name) => typeof value[name] === 'function')
  );
}

function isSpan(value: unknown): value is Record<string, unknown> & { id: string; trace_id: string } {
  return isRecord(value) && typeof value.id === 'string' && typeof value.trace_id === 'string';
}
