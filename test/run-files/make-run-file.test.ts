import assert from 'node:assert/strict';
import { makeRunFile } from '../../src/run-files/make-run-file.ts';
import { type DevSession, devSession } from '../support/dev-session.ts';

describe('the file of a run', function () {
  this.timeout(120_000);
  let session: DevSession;
  before(async () => {
    session = await devSession();
  });
  after(() => session[Symbol.asyncDispose]());

  it('has all feedback, also more than a page of it', async () => {
    const { client } = session;
    const { thread_id } = await client.threads.create({ body: {} });
    const params = { thread_id };
    const body = { assistant_id: 'talk', input: { messages: 'Hello' }, record: true };
    const { run_id } = await client.runs.create({ params, body });
    await client.runs.join({ params: { thread_id, run_id } });
    const scores = Array.from({ length: 101 }, (_, score) => score);
    for (const score of scores)
      await client.tracing.feedback.create({ body: { run_id, trace_id: run_id, key: 'rating', score } });

    const ref = { threadId: thread_id, runId: run_id, graphId: 'talk' };
    const project = { git: null, secrets: [], variables: {} };
    const found: unknown[] = [];
    for await (const line of makeRunFile(client, ref, { project, signal: AbortSignal.timeout(60_000) }))
      if (line.kind === 'feedback') found.push(line.feedback.score);
    assert.deepEqual(
      found.map(Number).sort((a, b) => a - b),
      scores,
    );
  });
});
