import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { RequestError } from '../../../src/client/request-error.ts';
import { RevisionFailedError, waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { exampleFiles, slowGraphFile } from '../../support/control-plane/example-files.ts';
import { gitRepository } from '../../support/control-plane/git-repository.ts';
import { serverProcess } from '../../support/control-plane/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

/** The same files in a folder of the repository. */
function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

describe('a deployment from a git repository', function () {
  this.timeout(240_000);

  it('works from the first commit to its deletion', async () => {
    await using server = await serverProcess();
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    // As long as this file is there, a run of the first commit continues, however long it takes to deploy the next.
    const hold = path.join(folder.path, 'hold');
    const slow = slowGraphFile('first')['src/slow.mjs'] ?? assert.fail();
    const held = `import { existsSync } from 'node:fs';\n${slow.replace('tick < ticks', `tick < ticks || existsSync(${JSON.stringify(hold)})`)}`;
    const config = { graphs: { docs_agent: './src/graph.ts:graph', slow: './src/slow.mjs:graph' } };
    const first = await repository.push({
      ...below('agents/docs', await exampleFiles('examples/docs-agent')),
      ...below('docs', await exampleFiles('docs')),
      'agents/docs/src/slow.mjs': held,
      'agents/docs/langgraph.json': JSON.stringify(config),
    });

    // Create, and poll to DEPLOYED.
    const { client } = server;
    const created = await client.deployments.create({
      body: {
        name: 'docs',
        source: 'github',
        source_config: { repo_url: repository.url, deployment_type: 'dev', build_on_push: false },
        source_revision_config: { repo_ref: 'main', platform_config_path: 'agents/docs/langgraph.json' },
        secrets: [{ name: 'SOME_SECRET', value: 'not for everyone' }],
      },
    });
    assert.ok(created.latest_revision_id);
    const deployment_id = created.id;
    const wait = (revisionId: string | null) =>
      waitForRevision(client.revisions, { deployment_id, revision_id: revisionId ?? '' });
    const live = await wait(created.latest_revision_id);
    assert.equal(live.source_revision_config?.repo_commit_sha, first);
    assert.deepEqual(
      live.status_history?.map(({ status }) => status),
      ['CREATING', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOYED'],
    );

    // Run a thread at its deployment_url with the real SDK.
    const url = (await client.deployments.get({ params: { deployment_id } })).source_config.custom_url;
    assert.ok(url);
    const sdk = new LangGraphClient({ apiUrl: url, apiKey: server.apiKey });
    const thread = await sdk.threads.create();
    const kinds = new Set<string>();
    for await (const { event } of sdk.runs.stream(thread.thread_id, 'docs_agent', {
      input: { messages: [{ role: 'user', content: 'How do I run the example?' }] },
      streamMode: ['updates', 'messages-tuple'],
    })) {
      kinds.add(event);
    }
    assert.ok(kinds.has('updates') && kinds.has('messages'), [...kinds].join());
    await assert.rejects(new LangGraphClient({ apiUrl: url, apiKey: null }).assistants.search(), /401/);

    // Push a commit, and see the new revision take over while a stream goes on.
    const second = await repository.push(below('agents/docs', slowGraphFile('second')));
    const slowThread = await sdk.threads.create();
    const streamed: unknown[] = [];
    let isOver = false;
    await writeFile(hold, '');
    const stream = (async () => {
      for await (const { event, data } of sdk.runs.stream(slowThread.thread_id, 'slow', {
        input: { ticks: 1 },
        streamMode: ['custom', 'values'],
      })) {
        if (event === 'custom' || event === 'error') streamed.push(data);
      }
    })().finally(() => {
      isOver = true;
    });
    await eventually('the stream goes on', () => streamed.length > 0);
    const patched = await client.deployments.update({
      params: { deployment_id },
      body: { source_revision_config: { repo_ref: 'main' } },
    });
    const next = await wait(patched.latest_revision_id);
    assert.equal(next.source_revision_config?.repo_commit_sha, second);
    assert.equal(isOver, false, 'the stream still goes on when the new revision is live');
    const now = await sdk.runs.wait(null, 'slow', { input: { ticks: 1 } });
    assert.deepEqual(now, { ticks: 1, greeting: 'second' });
    await rm(hold);
    await stream;
    assert.deepEqual(
      streamed,
      streamed.map((_, tick) => ({ tick, greeting: 'first' })),
    );

    // Break the next commit, and see FAILED with its reason while the old one serves.
    const mistake = "import './does-not-exist.mjs';\nexport const graph = 1;\n";
    await repository.push({ 'agents/docs/src/slow.mjs': mistake });
    const broken = await client.deployments.update({
      params: { deployment_id },
      body: { source_revision_config: {} },
    });
    await assert.rejects(wait(broken.latest_revision_id), (error: unknown) => {
      assert.ok(error instanceof RevisionFailedError);
      assert.equal(error.revision.status, 'DEPLOY_FAILED');
      assert.match(error.message, /slow.*does-not-exist/s);
      return true;
    });
    const after = await client.deployments.get({ params: { deployment_id } });
    assert.equal(after.active_revision_id, next.id);
    assert.equal(after.source_config.custom_url, url);
    assert.deepEqual(await sdk.runs.wait(null, 'slow', { input: { ticks: 1 } }), {
      ticks: 1,
      greeting: 'second',
    });

    // Roll back. Threads belong to the deployment and have outlived all of this.
    const rolledBack = await client.revisions.redeploy({ params: { deployment_id, revision_id: live.id } });
    const back = await wait(rolledBack.latest_revision_id);
    assert.equal(back.source_revision_config?.repo_commit_sha, first);
    assert.deepEqual(await sdk.runs.wait(null, 'slow', { input: { ticks: 1 } }), {
      ticks: 1,
      greeting: 'first',
    });
    const state = await sdk.threads.getState(thread.thread_id);
    assert.ok((state.values as { messages: unknown[] }).messages.length > 1);

    // Delete.
    await client.deployments.delete({ params: { deployment_id } });
    await assert.rejects(
      client.deployments.get({ params: { deployment_id } }),
      (error: unknown) => error instanceof RequestError && error.status === 404,
    );
    await assert.rejects(fetch(`${url}/ok`));
    assert.deepEqual(await readdir(path.join(server.dataDir, 'deployments')), []);
    await eventually('no process is left', () => server.children().length === 0);
  });
});
