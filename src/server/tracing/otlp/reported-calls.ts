import { isObject, objectAt } from '../../../process/objects.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { StoredPayloads } from '../database/stored-payloads.ts';
import type { PayloadPlaces } from '../database/traces-schema.ts';
import { textIn } from './attributes.ts';
import type { SpanRun } from './span-to-run.ts';

/** A model call as reported by one instrumentation. */
export interface ReportedCall {
  /** The ID of the run. */
  readonly run: string;
  /** Times in microseconds. */
  readonly start: number;
  readonly end: number;
  /** Whether the usage of the call counts in its trace. */
  readonly isCounted: boolean;
  /** The tokens; for a stored call, only if it counts. */
  readonly tokens: CallTokens | undefined;
  /** Reads the other facts, which requires reading a payload if the call is stored. */
  readonly facts: () => CallFacts;
}

/** The tokens that a call used; `NaN` if the report does not say. */
export interface CallTokens {
  readonly input: number;
  readonly output: number;
}

/** The facts by which calls are told apart. */
interface CallFacts {
  /** The name of the instrumentation. */
  readonly scope: string | undefined;
  readonly model: string | undefined;
  /** The ID that the provider gave the response. */
  readonly responseId: string | undefined;
  readonly tokens: CallTokens | undefined;
}

/** How far apart in time two layers may report the same call: a stream may be requested only when reading begins. */
export const APART_MICROS = 60_000_000;

/** The columns of `runs` that `storedCalls` reads. */
export const CALL_COLUMNS =
  'runs.id, runs.start_time, runs.end_time, runs.prompt_tokens, runs.completion_tokens, runs.total_tokens, runs.payloads';

/** The call that a span reports; `undefined` if the span has not ended. */
export function reportedCall(
  { start, end, fields }: SpanRun,
  run: string,
  isCounted = false,
): ReportedCall | undefined {
  if (end === undefined) return undefined;
  const facts = factsOf(fields.extra);
  return { run, start, end, isCounted, tokens: facts.tokens, facts: () => facts };
}

/** Reads the calls in rows of `CALL_COLUMNS`. */
export function storedCalls(
  { db, blobs }: WriterContext,
  rows: readonly Readonly<Record<string, unknown>>[],
): ReportedCall[] {
  const stored = new StoredPayloads(db, blobs);
  return rows.map((row) => {
    const isCounted = row.total_tokens !== null;
    let known: CallFacts | undefined;
    return {
      run: String(row.id),
      start: Number(row.start_time),
      end: Number(row.end_time),
      isCounted,
      tokens: isCounted
        ? { input: Number(row.prompt_tokens), output: Number(row.completion_tokens) }
        : undefined,
      facts: () => {
        const { extra }: PayloadPlaces = parseStored(String(row.payloads));
        known ??= factsOf(extra && stored.readJson(extra));
        return known;
      },
    };
  });
}

/**
 * Whether one of the others is the same call, and counts. Each call of one instrumentation matches at most one call of
 * another, so that all calls in a loop count even if they are alike.
 */
export function isCountedAmong(others: readonly ReportedCall[], call: ReportedCall): boolean {
  const counted = others.filter((other) => other.isCounted && isSame(call, other));
  if (counted.length === 0) return false;
  const { scope } = call.facts();
  // Earlier calls of the same instrumentation have each taken one of the counted calls.
  const taken = others.filter(
    (other) => !other.isCounted && isLike(call, other) && other.facts().scope === scope,
  );
  return counted.length > taken.length;
}

/** Whether two reports are about the same call: their instrumentations, if known, must differ. */
export function isSame(call: ReportedCall, other: ReportedCall): boolean {
  if (!isLike(call, other)) return false;
  const { scope } = call.facts();
  return scope === undefined || scope !== other.facts().scope;
}

/**
 * Whether two reports describe the same call, even if they are from the same instrumentation: the same response while
 * the calls overlap, or, within `APART_MICROS`, the same tokens of the same model.
 */
function isLike(call: ReportedCall, other: ReportedCall): boolean {
  const a = call.facts();
  const gap = Math.max(call.start - other.end, other.start - call.end);
  const mayHaveResponse = gap <= 0 && a.responseId !== undefined;
  const mayHaveTokens = gap <= APART_MICROS && a.scope !== undefined && mayHaveUsed(other, a.tokens);
  if (!mayHaveResponse && !mayHaveTokens) return false;
  const b = other.facts();
  if (a.responseId !== undefined && b.responseId !== undefined && a.responseId !== b.responseId) return false;
  // Mock models give each response the same ID, so the ID alone says nothing.
  if (mayHaveResponse && a.responseId === b.responseId) return true;
  return (
    mayHaveTokens &&
    b.scope !== undefined &&
    areSameTokens(a.tokens, b.tokens) &&
    mayBeSameModel(a.model, b.model)
  );
}

/** Whether a call used these tokens, as far as is known without reading its payload. */
function mayHaveUsed(call: ReportedCall, tokens: CallTokens | undefined): boolean {
  return tokens !== undefined && (call.tokens === undefined || areSameTokens(call.tokens, tokens));
}

function areSameTokens(one: CallTokens | undefined, other: CallTokens | undefined): boolean {
  return Object.is(one?.input, other?.input) && Object.is(one?.output, other?.output);
}

/** Whether two names may mean the same model: a request has `gpt-4o`, its response `gpt-4o-2024-08-06`. */
function mayBeSameModel(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [a = '', b = ''] = [one, other].map((name) => name.slice(name.lastIndexOf('/') + 1).toLowerCase());
  return a.startsWith(b) || b.startsWith(a);
}

function factsOf(extra: unknown): CallFacts {
  const object = isObject(extra) ? extra : {};
  const { usage_metadata: usage } = objectAt(object, 'metadata');
  return {
    scope: textIn(objectAt(object, 'otel_scope'), 'name'),
    model: textIn(objectAt(object, 'metadata'), 'ls_model_name'),
    responseId: textIn(objectAt(object, 'otel'), 'gen_ai.response.id'),
    tokens: isObject(usage)
      ? { input: Number(usage.input_tokens), output: Number(usage.output_tokens) }
      : undefined,
  };
}
