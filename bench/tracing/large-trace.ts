import { setTimeout as sleep } from 'node:timers/promises';
import { BOUNDARY, multipartBody, newRun, postParts, type TestRun } from '../../test/support/traces.ts';
import { type Line, ms } from './report.ts';
import { jsonBody, startServer } from './server.ts';

/** A trace of 25,000 runs: ingested, listed, opened as a tree, purged. */
export async function largeTrace(): Promise<Line[]> {
  const server = await startServer();
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
