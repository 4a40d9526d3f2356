import process from 'node:process';
import { causesOf } from './error-causes.ts';
import { isRecord } from './langgraph-types.ts';

/** What is used of LangChain's tracer. */
interface Tracer {
  _addChildRun(parent: unknown, child: unknown): void;
  stringifyError(error: unknown): string;
}

const mended = new WeakSet<Tracer>();

/**
 * Mends LangChain's tracer where spans go to this machine's own server; what somebody sends elsewhere is left as it is.
 *
 * It keeps the children of every span, which it sends nobody, and copies all of them for each further one: a run of a
 * thousand steps takes half a minute of that. And of an error it sends the stack without what caused it.
 */
export function patchLocalTracer(module: Readonly<Record<string, unknown>>): void {
  const { LangChainTracer } = module;
  if (!isLocalTracing() || typeof LangChainTracer !== 'function') return;
  const tracer: unknown = LangChainTracer.prototype;
  if (!isTracer(tracer) || mended.has(tracer)) return;
  mended.add(tracer);
  const { stringifyError } = tracer;
  tracer._addChildRun = () => {};
  tracer.stringifyError = function (error) {
    return stringifyError.call(this, error) + causesOf(error);
  };
}

function isLocalTracing(): boolean {
  const endpoint = process.env.LANGSMITH_ENDPOINT;
  return endpoint !== undefined && URL.canParse(endpoint) && new URL(endpoint).hostname === '127.0.0.1';
}

function isTracer(value: unknown): value is Tracer {
  return (
    isRecord(value) && typeof value._addChildRun === 'function' && typeof value.stringifyError === 'function'
  );
}
