import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { graphProject } from '../../../support/projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

const Listed = z.object({
  resources: z.array(z.object({ id: z.string(), paused_at: z.string().nullable() })).length(1),
});

describe('a paused deployment', function () {
  this.timeout(90_000);

  it('starts no run but finishes those that have started, even after a restart, until it is resumed', async () => {
    await using folder = await temporaryFolder();
    await using given = await graphProject({ line: 'langgraph-1.7' });
    const kept = { dataDir: folder.path, given: { ...given, [Symbol.asyncDispose]: async () => {} } };
    const ask = async ({ platformUrl, apiKey }: ServedProject, method: string, route: string) => {
      const answer = await fetch(`${platformUrl}${route}`, { method, headers: { 'x-api-key': apiKey } });
      assert.equal(answer.status, 200, await answer.clone().text());
      return answer.json();
    };
    const read = async (served: ServedProject) => {
      const { resources } = Listed.parse(await ask(served, 'GET', '/v2/deployments'));
      return resources[0] ?? assert.fail();
    };
    const clientOf = ({ url }: ServedProject) => new Client({ apiUrl: url, apiKey: null });
    const accept = async (served: ServedProject, graph: string, input: Record<string, unknown>) => {
      const { threads, runs } = clientOf(served);
      const { thread_id } = await threads.create();
      const { run_id } = await runs.create(thread_id, graph, { input });
      const status = async (of = served) => (await clientOf(of).runs.get(thread_id, run_id)).status;
      return { status };
    };

    const first = await serveProject(kept);
    const { id } = await read(first);
    const started = await accept(first, 'slow', { ms: 1_500 });
    assert.ok(['running', 'success'].includes(await started.status()));
    await ask(first, 'POST', `/harbor/deployments/${id}/pause`);
    const since = (await read(first)).paused_at;
    assert.ok(since !== null);
    await ask(first, 'POST', `/harbor/deployments/${id}/pause`);
    assert.equal((await read(first)).paused_at, since, 'it has been paused since then');
    // A run that may start is started before it is acknowledged.
    const waiting = await accept(first, 'one_node', { value: 1 });
    assert.equal(await waiting.status(), 'pending');
    const numbers = await (await fetch(`${first.url}/metrics`)).text();
    assert.match(numbers, /^harbor_deployment_paused 1$/m);
    assert.match(numbers, /^lg_api_num_pending_runs 1$/m);
    await eventually(
      'the started one ends',
      () => started.status(),
      (status) => status === 'success',
      30_000,
    );
    assert.equal(await waiting.status(), 'pending');
    await first[Symbol.asyncDispose]();

    await using second = await serveProject(kept);
    assert.equal((await read(second)).paused_at, since);
    const later = await accept(second, 'one_node', { value: 1 });
    assert.deepEqual([await waiting.status(second), await later.status()], ['pending', 'pending']);
    await ask(second, 'POST', `/harbor/deployments/${id}/resume`);
    assert.equal((await read(second)).paused_at, null);
    const both = () => Promise.all([waiting.status(second), later.status()]);
    await eventually('both end', both, (all) => all.every((status) => status === 'success'), 30_000);
  });
});
