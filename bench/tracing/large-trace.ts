import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../src/client/client.ts';
import { localConnection } from '../../src/client/connection.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { readFirstSpans, readSpans } from '../../src/extension/panels/trace/read-spans.ts';
import { BOUNDARY, multipartBody, newRun, postParts, type TestRun } from '../../test/support/traces.ts';
import { type Line, ms } from './report.ts';
import { jsonBody, type Server, startServer } from './server.ts';

/** A trace of 25,000 runs: ingested, listed, opened as a tree, purged. */
export async function largeTrace(): Promise<Line[]> {
  const server = await startServer({ nodeOptions: ['--cpu-prof', '--cpu-prof-dir=/tmp/prof'] });
  try {
    const root = newRun({ session_name: 'large' });
    const runs: TestRun[] = [root];
    while (runs.length < 25_000) {
      const parent = runs[Math.floor((runs.length - 1) / 8)];
      if (parent !== undefined) runs.push(newRun({ parent, session_name: 'large' }));
    }
    let began = performance.now();
    for (let at = 0; at < runs.length; at += 500) {
      const bytes = multipartBody(
        runs.slice(at, at + 500).flatMap((run) => postParts(run, { inputs: { text: `step ${run.id}` } })),
      );
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      const { status, text } = await server.request('POST', '/runs/multipart', { bytes, headers });
      if (status !== 202) throw new Error(`${status} ${text}`);
    }
    const ingested = performance.now() - began;
    const [session] = JSON.parse((await server.request('GET', '/sessions?name=large')).text) as {
      id: string;
    }[];
    const list = await server.request(
      'POST',
      '/runs/query',
      jsonBody({ session: [session?.id], is_root: true, limit: 50 }),
    );
    const tree = await server.request('GET', `/traces/${root.id}/tree`);
    const panel = await openInPanel(server, root.id);
    began = performance.now();
    const asked = await server.request(
      'POST',
      '/runs/delete',
      jsonBody({ session_id: session?.id, trace_ids: [root.id] }),
    );
    const { job_id } = JSON.parse(asked.text) as { job_id: string };
    for (;;) {
      const { status } = JSON.parse((await server.request('GET', `/purge/jobs/${job_id}`)).text) as {
        status: string;
      };
      if (status === 'failed') throw new Error('The purge failed.');
      if (status === 'verified') break;
      await sleep(50);
    }
    const purged = performance.now() - began;
    const peak = await server.peakMemory();
    return [
      { question: 'a trace of 25,000 runs, ingested', result: ms(ingested) },
      { question: 'listed', result: ms(list.ms) },
      { question: 'opened as a tree', result: ms(tree.ms) },
      { question: 'first rows of the trace panel', result: ms(panel.first) },
      { question: 'all rows of the trace panel', result: ms(panel.all) },
      {
        question: 'of which busy: the server; the panel',
        result: `${ms(panel.serverBusy)}; ${ms(panel.busy)}`,
      },
      { question: 'purged and verified', result: ms(purged) },
      {
        question: 'peak memory of the server',
        result: peak === undefined ? 'not told' : `${Math.round(peak)} MB`,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** Reads a trace as the extension's panel does: first what is visible at once, then everything. */
async function openInPanel(
  server: Server,
  traceId: string,
): Promise<{ first: number; all: number; busy: number; serverBusy: number }> {
  const dispatcher = createDispatcher();
  const connection = localConnection({ baseUrl: server.url, apiKey: server.key });
  const client = new Client({ connection, dispatcher });
  const { signal } = new AbortController();
  const served = (await server.cpuMicros())?.all ?? 0;
  const used = process.cpuUsage();
  const began = performance.now();
  await readFirstSpans(client, traceId, signal);
  const first = performance.now() - began;
  let count = 0;
  for await (const { spans } of readSpans(client, traceId, signal)) count += spans.length;
  const all = performance.now() - began;
  const { user, system } = process.cpuUsage(used);
  const serverBusy = (((await server.cpuMicros())?.all ?? 0) - served) / 1000;
  await dispatcher.close();
  if (count !== 25_000) throw new Error(`The panel has ${count} spans.`);
  return { first, all, busy: (user + system) / 1000, serverBusy };
}
