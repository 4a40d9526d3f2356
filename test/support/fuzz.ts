import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { type Endpoint, pathParameters } from '../../src/contract/endpoint.ts';
import { patience } from './wait.ts';

const HANG_MS = 10_000 * patience;
/** Requests per endpoint; `FUZZ_RUNS` sets another number. */
const DEFAULT_RUNS = 40;

const NIL = '00000000-0000-4000-8000-000000000000';
const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    '..',
    '../../etc/passwd',
    '%00',
    '%',
    "' or 1=1 --",
    '{}',
    '[]',
    'null',
    '-1',
    '1e309',
    '\u202e',
    '\ud800',
    '\0',
    'a\0b',
    '__proto__',
    'a'.repeat(600),
    NIL,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.uuid(),
);

/** Any JSON, but often an object with the fields that the endpoint knows, filled wrongly. */
function bodyFor(endpoint: Endpoint, hostile: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const schema = 'body' in endpoint ? endpoint.body : undefined;
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    hostile,
    fc.array(hostile, { maxLength: 2 }),
    fc.constantFrom(0, -1, 1e308, 2 ** 53, true, null, [], {}, [null], { $gt: {} }, NIL),
  );
  const known = fc.record(Object.fromEntries(fields.map((name) => [name, value])), { requiredKeys: [] });
  // A request with a single wrong field gets further than one with many.
  const one =
    fields.length === 0
      ? fc.jsonValue()
      : fc.tuple(fc.constantFrom(...fields), value).map(([name, wrong]) => ({ [name]: wrong }));
  return fc.oneof(
    { weight: 3, arbitrary: known },
    { weight: 3, arbitrary: one },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

function textFor(endpoint: Endpoint, hostile: fc.Arbitrary<string>): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: bodyFor(endpoint, hostile).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.string() },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '{',
        '"',
        '\u0000',
        `{"a":${'['.repeat(20_000)}`,
        `{"input":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
        'x'.repeat(100_000),
      ),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function queryFor(endpoint: Endpoint, hostile: fc.Arbitrary<string>): fc.Arbitrary<[string, string][]> {
  const names = [...Object.keys(endpoint.query?.shape ?? {}), 'nothing_known'];
  return fc.array(fc.tuple(fc.constantFrom(...names), hostile), { maxLength: 4 });
}

export interface FuzzOptions {
  readonly url: string;
  /** Names and IDs of existing resources, so that requests get further than 404. */
  readonly known: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether some endpoints call another service, and answer 502 when it is down. */
  readonly asksOthers?: boolean;
  readonly runs?: number;
}

/**
 * Sends random requests to an endpoint. Each must be answered in time, with a reason if it is refused, and
 * never with a failure of the server. @throws an Error with the smallest request that violates this
 */
export async function fuzz(endpoint: Endpoint, options: FuzzOptions): Promise<void> {
  const { method, path } = endpoint;
  const hostile = fc.oneof(fc.constantFrom(...options.known), hostileText);
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...pathParameters(path).map(() => hostile)),
      queryFor(endpoint, hostile),
      textFor(endpoint, hostile),
      fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded', ''),
      async (parameters, query, body, contentType) => {
        const segments = [...parameters];
        const filled = path.replace(/\{\w+\}/g, () =>
          encodeURIComponent((segments.shift() ?? '').toWellFormed()),
        );
        const search = query
          .map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('='))
          .join('&');
        const allowed = options.asksOthers ? [502] : [];
        await send(endpoint, allowed, `${options.url}${filled}?${search}`, {
          method,
          headers: {
            accept: 'application/json, text/event-stream',
            ...options.headers,
            ...(contentType === '' ? {} : { 'content-type': contentType }),
          },
          ...(body === undefined || method === 'GET' ? {} : { body }),
        });
      },
    ),
    {
      numRuns: Number(process.env.FUZZ_RUNS ?? options.runs ?? DEFAULT_RUNS),
      ...(process.env.FUZZ_SEED ? { seed: Number(process.env.FUZZ_SEED) } : {}),
    },
  );
}

/** The lines in a server's log that report a failure of the server. */
export function internalErrors(log: string): string[] {
  return log.split('\n').filter((line) => /"level":(?:50|60)|unhandled/.test(line));
}

/**
 * A stream may stay open, and a run may wait for its end: only the status line must come, and must not say that the
 * server failed.
 */
async function send(
  endpoint: Endpoint,
  allowed: readonly number[],
  url: string,
  init: RequestInit,
): Promise<void> {
  const controller = new AbortController();
  const hang = setTimeout(() => controller.abort(), HANG_MS);
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
    const streamed = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    if (response.status >= 500 && !allowed.includes(response.status))
      assert.fail(`${response.status}: ${await response.text()}`);
    if (response.status < 400 || streamed) return;
    // Endpoints for browsers give the reason as a page.
    if (endpoint.kind === 'raw' && response.headers.get('content-type')?.startsWith('text/html')) return;
    const body: unknown = await response.json();
    assert.ok(isErrorBody(body), `no error body: ${JSON.stringify(body)}`);
  } catch (error) {
    if (controller.signal.aborted) throw new Error(`No answer within ${HANG_MS / 1000} s.`);
    throw error;
  } finally {
    clearTimeout(hang);
    controller.abort();
  }
}

const ErrorBody = z.union([
  z.object({ detail: z.string().min(1) }),
  z.object({
    detail: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string().min(1), type: z.string() })).min(1),
  }),
  z.looseObject({ type: z.literal('error'), error: z.string(), message: z.string().min(1) }),
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    error: z.object({ code: z.int(), message: z.string().min(1) }),
  }),
]);

function isErrorBody(body: unknown): boolean {
  // A batch is answered with a list.
  const bodies: unknown[] = Array.isArray(body) ? body : [body];
  return bodies.length > 0 && bodies.every((one) => ErrorBody.safeParse(one).success);
}
