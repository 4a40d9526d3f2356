import process from 'node:process';
import { causesOf } from '../errors/error-causes.ts';
import { isRecord } from '../langgraph-types.ts';

/** The part of LangChain's tracer that is used. */
interface Tracer {
  _addChildRun(parent: unknown, child: unknown): void;
  stringifyError(error: unknown): string;
}

const patched = new WeakSet<Tracer>();

/**
 * Patches LangChain's tracer if spans are sent to the server on this machine. The tracer keeps the children
 * of every span, although it does not send them, and copies them for each new child; this takes half a minute
 * in a run of a thousand steps. It also drops the causes of errors. The patch removes the children and adds
 * the causes.
 */
export function patchLocalTracer(module: Readonly<Record<string, unknown>>): void {
  const { LangChainTracer } = module;
  if (!isTracedLocally() || typeof LangChainTracer !== 'function') return;
  const tracer: unknown = LangChainTracer.prototype;
  if (!isTracer(tracer) || patched.has(tracer)) return;
  patched.add(tracer);
  const { stringifyError } = tracer;
  tracer._addChildRun = () => {};
  tracer.stringifyError = function (error) {
    return stringifyError.call(this, error) + causesOf(error);
  };
}

/** Whether the environment sends spans to this machine. */
export function isTracedLocally(): boolean {
  const { hostname } = URL.parse(process.env.LANGSMITH_ENDPOINT ?? '') ?? {};
  return hostname !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function isTracer(value: unknown): value is Tracer {
  return (
    isRecord(value) && typeof value._addChildRun === 'function' && typeof value.stringifyError === 'function'
  );
}
