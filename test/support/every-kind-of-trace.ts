import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client, RunTree } from 'langsmith';
import { evaluate } from 'langsmith/evaluation';
import { traceable } from 'langsmith/traceable';
import { z } from 'zod';
import { newRun } from './traces.ts';

export const PROJECT = 'every kind of trace';
/** How many traces of each kind there are. */
export const TRACES = 8;
/** Payloads of this length are stored beside the database. */
export const LARGE_CHARS = 1_500_000;
const large = (word: string) => `${word} ${'ab'.repeat(LARGE_CHARS / 2)}`;

export type TracesApi = ReturnType<typeof tracesApi>;

/** Accesses a platform with the SDK, and with plain requests for data that the SDK does not read. */
export function tracesApi(url: string, apiKey: string) {
  const send = async (method: string, route: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${url}${route}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const client = new Client({ apiUrl: url, apiKey });
  return {
    url,
    client,
    send,
    get: (route: string) => send('GET', route),
    find: async (filter: string) => {
      const { id } = await client.readProject({ projectName: PROJECT });
      const Found = z.object({ runs: z.array(z.object({ name: z.string(), trace_id: z.string() })) });
      const found = Found.parse(await send('POST', '/runs/query', { session: [id], filter, limit: 100 }));
      return found.runs.toSorted((a, b) => a.name.localeCompare(b.name));
    },
  };
}

/** Traces an agent and the tool that it calls, with searchable words in both. */
export async function traceAgent(client: Client, name: string, at: number): Promise<void> {
  const tool = traceable(async (text: string) => text.toUpperCase(), {
    name: 'tool',
    run_type: 'tool',
    client,
    tracingEnabled: true,
  });
  const agent = traceable(async (text: string) => ({ said: await tool('wren'), text }), {
    name,
    client,
    tracingEnabled: true,
    project_name: PROJECT,
    tags: [`t${at % 2}`],
    metadata: { user: `u${at % 3}`, at },
  });
  await agent(`goldcrest ${at}`);
  await client.awaitPendingTraceBatches();
}

/**
 * Stores traces with small and large payloads, attachments and errors, feedback, shares, datasets and experiments.
 * @returns a run of which only the update was sent; `sendEarlyRun` sends the run itself.
 */
export async function storeEveryKind({ client, send, find }: TracesApi): Promise<ReturnType<typeof newRun>> {
  const early = newRun({ name: 'in two parts', session_name: PROJECT });
  for (let at = 0; at < TRACES; at++) {
    await traceAgent(client, `agent ${at}`, at);
    const tree = new RunTree({
      name: `large ${at}`,
      run_type: 'llm',
      client,
      project_name: PROJECT,
      inputs: { text: large(`siskin${at}`) },
      attachments: {
        sound: ['audio/wav', Buffer.from(large(`sound ${at}`))],
        note: ['text/plain', Buffer.from('x')],
      },
    });
    await tree.postRun();
    const usage_metadata = { input_tokens: at, output_tokens: 2, total_tokens: at + 2, input_cost: 0.1 };
    await tree.end({ usage_metadata }, at === 0 ? large('broken') : undefined);
    await tree.patchRun();
  }
  await client.awaitPendingTraceBatches();
  // A request without parts: a data folder stores its payloads in rows, even large ones.
  const inputs = { text: large('dunnock') };
  const ended = { outputs: { text: large('fieldfare') }, end_time: new Date().toISOString() };
  await send('POST', '/runs', newRun({ name: 'in JSON', session_name: PROJECT, inputs, ...ended }));
  for (const { trace_id } of (await find('eq(name, "agent 1")')).concat(await find('eq(name, "agent 2")')))
    await client.createFeedback(trace_id, 'clear', { score: 0.5, comment: 'Good enough ✓' });
  const [shared] = await find('eq(name, "agent 3")');
  await client.shareRun(shared?.trace_id ?? '');
  const dataset = await client.createDataset('questions', { description: 'a test', metadata: { team: 'a' } });
  const example = await client.createExample({ q: 1 }, { a: 1 }, { datasetId: dataset.id });
  const { as_of } = await client.readDatasetVersion({ datasetId: dataset.id, asOf: new Date() });
  await client.updateDatasetTag({ datasetId: dataset.id, asOf: as_of, tag: 'v1' });
  await client.updateExample({ id: example.id, outputs: { a: 2 } });
  await client.createExamples([
    {
      id: randomUUID(),
      dataset_id: dataset.id,
      inputs: { q: 2 },
      attachments: { note: { mimeType: 'text/plain', data: Buffer.from('hello') } },
    },
  ]);
  await evaluate(async ({ q }: { q: number }) => ({ a: q }), {
    data: 'questions',
    evaluators: [
      ({ outputs }: { outputs?: Record<string, unknown> }) => ({
        key: 'right',
        score: outputs?.a === 1 ? 1 : 0,
      }),
    ],
    client,
    experimentPrefix: 'first',
  });
  // The update comes before its run.
  await send('PATCH', `/runs/${early.id}`, {
    trace_id: early.trace_id,
    dotted_order: early.dotted_order,
    outputs: { answer: 'wryneck' },
    end_time: new Date().toISOString(),
  });
  return early;
}

/** Sends the run whose update came first, and checks that both are joined. */
export async function sendEarlyRun(
  { send, get }: TracesApi,
  early: ReturnType<typeof newRun>,
): Promise<void> {
  await send('POST', '/runs', early);
  const joined = z.object({ outputs: z.unknown(), status: z.string() }).parse(await get(`/runs/${early.id}`));
  assert.deepEqual(joined, { outputs: { answer: 'wryneck' }, status: 'success' });
}

const FILTERS = [
  'search("goldcrest")',
  'search("siskin3")',
  'search("dunnock")',
  'search("fieldfare")',
  'search("wren")',
  'has(tags, "t1")',
  'and(eq(metadata_key, "user"), eq(metadata_value, "u2"))',
  'and(eq(metadata_key, "at"), gt(metadata_value, 4))',
  'eq(feedback_key, "clear")',
  'eq(run_type, "llm")',
  'gt(total_tokens, 5)',
  'eq(is_root, true)',
];

/**
 * Reads everything that `storeEveryKind` stored, without addresses and signatures, for comparison with another server.
 */
export async function readEveryKind({ client, get, send, find }: TracesApi): Promise<unknown> {
  const project = await client.readProject({ projectName: PROJECT, includeStats: true });
  const runs = [];
  for await (const run of client.listRuns({ projectName: PROJECT })) runs.push(run);
  const attachments = [];
  for (const run of runs)
    for (const [name, place] of Object.entries(
      (run as { s3_urls?: Record<string, { presigned_url: string }> | null }).s3_urls ?? {},
    ))
      attachments.push([run.name, name, (await (await fetch(place.presigned_url)).text()).slice(0, 40)]);
  const datasets = [];
  for await (const dataset of client.listDatasets()) {
    const examples = [];
    for (const asOf of ['latest', 'v1'])
      for await (const example of client.listExamples({ datasetId: dataset.id, asOf }))
        examples.push(example);
    datasets.push({ dataset, examples: examples.toSorted(byId) });
  }
  const feedback = [];
  for await (const one of client.listFeedback({ runIds: runs.map(({ id }) => id) })) feedback.push(one);
  const projects = z.array(z.object({ id: z.string() })).parse(await get('/sessions?include_stats=true'));
  const found = await Promise.all(
    FILTERS.map(async (filter) => [filter, (await find(filter)).map(({ name }) => name)]),
  );
  for (const [filter, names] of found) assert.ok((names ?? '').length > 0, `${filter} finds something`);
  return withoutAddresses({
    project,
    projects: projects.toSorted(byId),
    runs: runs.toSorted(byId),
    attachments: attachments.toSorted(),
    datasets,
    feedback: feedback.toSorted(byId),
    found,
    stats: await Promise.all(
      FILTERS.map((filter) => send('POST', '/runs/stats', { session: [project.id], filter })),
    ),
  });
}

const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);

/** Removes links, which name the server and are signed anew each time. */
function withoutAddresses(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) => (/url/.test(name) ? undefined : member)),
  );
}
