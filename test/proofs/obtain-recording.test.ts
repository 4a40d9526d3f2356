import assert from 'node:assert/strict';
import { obtainRecording } from '../../src/proofs/obtain-recording.ts';
import { type DevSession, devSession } from '../support/dev-session.ts';

describe('a run that was not recorded and is run again', function () {
  this.timeout(120_000);
  let session: DevSession;
  before(async () => {
    session = await devSession();
  });
  after(() => session[Symbol.asyncDispose]());

  it('has the assistant, the settings and the earlier state of the original, whose thread is unchanged', async () => {
    const { client } = session;
    const { assistant_id } = await client.assistants.create({ body: { graph_id: 'talk', name: 'own' } });
    const { thread_id } = await client.threads.create({ body: {} });
    const params = { thread_id };
    await client.runs.wait({ params, body: { assistant_id, input: { messages: 'Hello' }, record: false } });
    const original = await client.runs.create({
      params,
      body: {
        assistant_id,
        input: { messages: 'Again' },
        config: { recursion_limit: 7, tags: ['second'], max_concurrency: 2, configurable: { tone: 'dry' } },
        max_cost: 0.5,
        interrupt_after: ['say'],
        record: false,
      },
    });
    await client.runs.join({ params: { thread_id, run_id: original.run_id } });
    const before = await client.threads.getState({ params });

    const { run, ranAgain } = await obtainRecording(
      client,
      { threadId: thread_id, runId: original.run_id, graphId: 'talk' },
      {
        project: { git: null, secrets: [], variables: {} },
        signal: AbortSignal.timeout(60_000),
        runAgain: true,
      },
    );
    assert.equal(ranAgain, true);
    const place = { thread_id: run.threadId, run_id: run.runId };
    const again = await client.runs.get({ params: place });
    assert.equal(again.assistant_id, assistant_id);
    const { recursion_limit, tags, max_concurrency, configurable } = Object(again.kwargs?.config);
    assert.deepEqual([recursion_limit, tags, max_concurrency, configurable.tone], [7, ['second'], 2, 'dry']);
    assert.equal(again.kwargs?.max_cost, 0.5);
    assert.deepEqual(again.kwargs?.interrupt_after, ['say']);
    const messages = (values: unknown) =>
      Object(values).messages.map(({ content }: { content: string }) => content);
    const { values } = await client.threads.getState({ params: { thread_id: run.threadId } });
    assert.deepEqual(messages(values), messages(before.values));
    assert.deepEqual(await client.threads.getState({ params }), before);
  });
});
