import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { a2a, mcp } from '../../../src/contract/agent-server/agents.ts';
import { assistants } from '../../../src/contract/agent-server/assistants.ts';
import { crons } from '../../../src/contract/agent-server/crons.ts';
import { protocol } from '../../../src/contract/agent-server/protocol.ts';
import { runs } from '../../../src/contract/agent-server/runs.ts';
import { store } from '../../../src/contract/agent-server/store.ts';
import { system } from '../../../src/contract/agent-server/system.ts';
import { threadStream, threads } from '../../../src/contract/agent-server/threads.ts';
import { type Endpoint, pathParameters } from '../../../src/contract/endpoint.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';

const endpoints: readonly Endpoint[] = [
  assistants,
  threads,
  threadStream,
  runs,
  crons,
  store,
  protocol,
  mcp,
  a2a,
  system,
].flatMap((table) => Object.values(table));

/** Requests an endpoint; `FUZZ_RUNS` asks for more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 40);
const HANG_MS = 10_000;

const NIL = '00000000-0000-4000-8000-000000000000';
const hostile = fc.oneof(
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
    '__proto__',
    'a'.repeat(600),
    NIL,
    'agent',
    'one_node',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.uuid(),
);

/** Any JSON, and often an object with the fields the endpoint knows, wrongly filled. */
function bodyFor(endpoint: Endpoint): fc.Arbitrary<unknown> {
  const schema = 'body' in endpoint ? endpoint.body : undefined;
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    hostile,
    fc.constantFrom(0, -1, 1e308, 2 ** 53, true, null, [], {}, [null], { $gt: {} }, 'agent', NIL),
  );
  const known = fc.record(Object.fromEntries(fields.map((name) => [name, value])), { requiredKeys: [] });
  return fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: fc.jsonValue() });
}

function textFor(endpoint: Endpoint): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: bodyFor(endpoint).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.string() },
    {
      weight: 1,
      arbitrary: fc.constantFrom('{', '"', '\u0000', `{"a":${'['.repeat(20_000)}`, 'x'.repeat(100_000)),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function queryFor(endpoint: Endpoint): fc.Arbitrary<[string, string][]> {
  const names = [...Object.keys(endpoint.query?.shape ?? {}), 'nothing_known'];
  return fc.array(fc.tuple(fc.constantFrom(...names), hostile), { maxLength: 4 });
}

describe('the agent server', function () {
  this.timeout(600_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject({ runTimeLimitMs: 5_000 });
  });
  after(() => served[Symbol.asyncDispose]());

  for (const endpoint of endpoints) {
    const { method, path } = endpoint;
    it(`answers whatever is sent to ${method} ${path} with a reason, never a failure of its own`, () =>
      fc.assert(
        fc.asyncProperty(
          fc.tuple(...pathParameters(path).map(() => hostile)),
          queryFor(endpoint),
          textFor(endpoint),
          fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded', ''),
          async (parameters, query, body, contentType) => {
            const segments = [...parameters];
            const filled = path.replace(/\{\w+\}/g, () =>
              encodeURIComponent(toWellFormed(segments.shift() ?? '')),
            );
            const search = query
              .map((pair) => pair.map((part) => encodeURIComponent(toWellFormed(part))).join('='))
              .join('&');
            await send(`${served.url}${filled}?${search}`, {
              method,
              headers: {
                accept: 'application/json, text/event-stream',
                ...(contentType === '' ? {} : { 'content-type': contentType }),
              },
              ...(body === undefined || method === 'GET' ? {} : { body }),
            });
          },
        ),
        { numRuns: RUNS, ...(process.env.FUZZ_SEED ? { seed: Number(process.env.FUZZ_SEED) } : {}) },
      ));
  }

  it('is still well afterwards', async () => {
    assert.deepEqual(await (await fetch(`${served.url}/ok?check_db=1`)).json(), { ok: true });
    assert.equal((await fetch(`${served.url}/runs/wait`, wait())).status, 200);
  });
});

function wait(): RequestInit {
  const body = JSON.stringify({ assistant_id: 'one_node', input: { value: 1 } });
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body };
}

function toWellFormed(text: string): string {
  return text.toWellFormed();
}

/** A stream may stay open, and a run may wait for its end: the status line must come, and be no failure of ours. */
async function send(url: string, init: RequestInit): Promise<void> {
  const controller = new AbortController();
  const hang = setTimeout(() => controller.abort(), HANG_MS);
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
    const streamed = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    if (response.status >= 500) assert.fail(`${response.status}: ${await response.text()}`);
    if (response.status < 400 || streamed) return;
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
