import process from 'node:process';
import { causesOf } from '../errors/error-causes.ts';
import { isRecord } from '../langgraph-types.ts';

/** The part of LangChain's tracer that is used. */
interface Tracer {
  _addChildRun(parent: unknown, child: unknown): void;
  stringifyError(error: unknown): string;
}

const mended = new WeakSet<Tracer>();

/**
 * Patches LangChain's tracer when spans are sent to this machine's server; otherwise it is unchanged.
 * LangChain's tracer keeps the children of every span without sending them, and copies all of them for each new
 * one, which takes half a minute for a run of a thousand steps. It also drops the causes of errors.
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
