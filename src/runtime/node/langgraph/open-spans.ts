import { isRecord } from '../langgraph-types.ts';

/** The error of spans that are still open when their run ends, unless the run ended for another reason. */
const RUN_ENDED = 'interrupted: the run ended before this did.';

/** Imports a module of the user's own LangChain. */
interface Importer {
  importModule(specifier: string): Promise<Record<string, unknown>>;
}

/** The part of LangChain's tracer that is used. */
interface Tracer {
  /** The span, which the tracer keeps until it ends the span itself. */
  getRunById(id: string): unknown;
  onRunCreate(span: unknown): Promise<void>;
  onRunUpdate(span: unknown): Promise<void>;
}

type TracedSpan = Record<string, unknown> & { readonly id: string; readonly trace_id: string };

const patched = new WeakSet<Tracer>();
/** The end time and the error of spans that were ended here. Their tracer still has the spans. */
const ended = new WeakMap<Tracer, Map<string, { readonly at: number; readonly error: string }>>();
/** The spans of each run that is followed. */
const followed = new Map<string, OpenSpans>();
/** The errors that LangGraph and LangChain give spans whose run was aborted. */
const ABORTED = /^(?:Abort|AbortError)\b/;

/**
 * Tracks the spans of a run that have not ended, to end them with the run. When a run is aborted, LangChain
 * may stop reading the graph's stream before the graph reports its end, and code that ignores the signal may
 * never report one.
 */
export class OpenSpans {
  readonly #runId: string;
  readonly #whyEnded: () => Promise<string | undefined>;
  /** The tracer of each open span, by the span's id. */
  readonly #open = new Map<string, Tracer>();

  /** @param whyEnded the error for spans that are ended because the run has ended; undefined for none. */
  constructor(runId: string, whyEnded: () => Promise<string | undefined>) {
    this.#runId = runId;
    this.#whyEnded = whyEnded;
    followed.set(runId, this);
  }

  noteBegin(id: string, tracer: Tracer): void {
    this.#open.set(id, tracer);
  }

  noteEnd(id: string): void {
    this.#open.delete(id);
  }

  /** Replaces the error of an aborted span with the reason why the run ended. */
  async explain(span: TracedSpan): Promise<void> {
    span.error = (await this.#whyEnded()) ?? span.error;
  }

  /** Stops following the run. */
  forget(): void {
    followed.delete(this.#runId);
  }

  /**
   * Ends the spans that are still open, after LangChain has processed the reports so far. Later results are
   * still added.
   */
  async end(langgraph: Importer): Promise<void> {
    const error = (await this.#whyEnded()) ?? RUN_ENDED;
    const { consumeCallback } = await langgraph.importModule('@langchain/core/callbacks/promises');
    if (typeof consumeCallback !== 'function') return this.forget();
    await consumeCallback(async () => {
      this.forget();
      // A span that cannot be sent, for example because of the user's own filter, must not keep others from
      // ending.
      await Promise.allSettled([...this.#open].map(([id, tracer]) => endSpan(tracer, id, error)));
    }, false);
  }
}

/** Patches LangChain's tracer so that it reports the open spans of followed runs. */
export function patchTracer(module: Readonly<Record<string, unknown>>): void {
  const { LangChainTracer } = module;
  if (typeof LangChainTracer !== 'function') return;
  const tracer: unknown = LangChainTracer.prototype;
  if (!isTracer(tracer) || patched.has(tracer)) return;
  patched.add(tracer);
  const { onRunCreate, onRunUpdate } = tracer;
  tracer.onRunCreate = function (span) {
    if (isSpan(span)) followed.get(span.trace_id)?.noteBegin(span.id, this);
    return onRunCreate.call(this, span);
  };
  tracer.onRunUpdate = function (span) {
    if (!isSpan(span)) return onRunUpdate.call(this, span);
    const run = followed.get(span.trace_id);
    run?.noteEnd(span.id);
    const end = ended.get(this)?.get(span.id);
    // The span has already been ended as failed. A later result is added, but its end time is kept.
    if (end !== undefined && span.error !== end.error) return Promise.resolve();
    if (end !== undefined) span.end_time = end.at;
    const isAborted = typeof span.error === 'string' && ABORTED.test(span.error);
    if (run === undefined || !isAborted) return onRunUpdate.call(this, span);
    return run.explain(span).then(() => onRunUpdate.call(this, span));
  };
}

/** Ends a span with an error. The tracer keeps the span for code that reports its end later. */
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

function isSpan(value: unknown): value is TracedSpan {
  return isRecord(value) && typeof value.id === 'string' && typeof value.trace_id === 'string';
}
