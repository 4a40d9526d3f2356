import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { z } from 'zod';
import { CrashingServer } from '../../../faults/crashing-server.ts';
import { type GraphProject, graphProject } from '../../../support/projects.ts';
import { configure } from '../../../support/served-project.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

/** Together far more than fits into sockets and the events in memory, and than the amount of garbage. */
const READERS = 3;
const EVENTS = 1_500;
const MEGABYTE = 1_048_576;
const TOTAL = (READERS * EVENTS * 40_000) / MEGABYTE;
/** A server that kept unread data would grow by at least its size. */
const MAX_GROWTH = TOTAL / 2;

const GRAPH = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
const text = 'x'.repeat(40_000);
export const graph = new StateGraph(Annotation.Root({ done: Annotation }))
  .addNode('write', async (_, { writer }) => {
    for (let index = 0; index < ${EVENTS}; index++) {
      writer({ index, text });
      if (index % 50 === 0) await new Promise(setImmediate);
    }
    return { done: true };
  })
  .addEdge(START, 'write')
  .compile();`;

const Metrics = z.looseObject({ num_running: z.number(), resident_memory_bytes: z.number() });

describe('stalled readers', function () {
  this.timeout(180_000);
  let project: GraphProject;
  before(async () => {
    project = await graphProject({ line: 'langgraph-1.7', files: { 'big.mjs': GRAPH } });
    await configure(project.folder, { graphs: { big: './big.mjs:graph' } });
  });
  after(() => project[Symbol.asyncDispose]());

  it('neither use memory nor lose events, long after their stateless runs have ended', async () => {
    await using data = await temporaryFolder();
    const server = await CrashingServer.start(data.path, project.folder);
    assert.ok(server !== undefined);
    try {
      // Data that passes through leaves garbage only once. Any further growth is kept for the reader.
      assert.equal((await read(await stream(server.url))).length, EVENTS);
      const before = (await metrics(server.url)).resident_memory_bytes;
      const grown = async () => ((await metrics(server.url)).resident_memory_bytes - before) / MEGABYTE;
      const responses: IncomingMessage[] = [];
      while (responses.length < READERS) {
        const response = await stream(server.url);
        response.pause();
        responses.push(response);
        await eventually(
          'the run has ended',
          () => metrics(server.url),
          ({ num_running }) => num_running === 0,
          60_000,
        );
      }
      // The garbage is collected when the server is idle.
      await eventually(
        `the MB, of ${TOTAL} that wait, in memory`,
        grown,
        (growth) => growth < MAX_GROWTH,
        60_000,
      );
      for (const indexes of await Promise.all(responses.map(read))) {
        assert.equal(indexes.length, EVENTS);
        assert.ok(indexes.every((index, at) => index === at));
      }
    } finally {
      await server.end();
    }
  });
});

function stream(url: string): Promise<IncomingMessage> {
  const body = JSON.stringify({ assistant_id: 'big', input: {}, stream_mode: ['custom'] });
  return new Promise((resolve, reject) => {
    request(`${url}/runs/stream`, { method: 'POST', headers: { 'content-type': 'application/json' } })
      .once('response', resolve)
      .once('error', reject)
      .end(body);
  });
}

/** The indexes of the events, in order of arrival. */
async function read(response: IncomingMessage): Promise<number[]> {
  const indexes: number[] = [];
  let rest = '';
  for await (const chunk of response) {
    rest += String(chunk);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const index = /^data: \{"index":(\d+)/.exec(line)?.[1];
      if (index !== undefined) indexes.push(Number(index));
    }
  }
  return indexes;
}

async function metrics(url: string): Promise<z.output<typeof Metrics>> {
  const all = z.looseObject({}).parse(await (await fetch(`${url}/metrics?format=json`)).json());
  return Metrics.parse(flat(all));
}

/** The numbers of every part in one object. */
function flat(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flat({ ...value }))
        : [[key, value]],
    ),
  );
}
