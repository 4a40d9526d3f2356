import assert from 'node:assert/strict';
import { z } from 'zod';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { LINK_PACKAGES, linkedProject } from '../support/control-plane/example-files.ts';
import { gitRepository } from '../support/control-plane/git-repository.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { processTree } from '../support/process-tree.ts';
import { makeTeam } from '../support/team.ts';
import { type PlatformNode, platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

const Refused = z.object({ detail: z.string() });
const Runs = z.object({ runs: z.array(z.object({ id: z.string(), status: z.string() })) });

describe('roles of servers of a team', function () {
  this.timeout(180_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('start no graphs on a server that only answers requests, until a request needs them', async () => {
    await using team = await makeTeam(await postgres.createDatabase());
    const front = await team.start({ AGENT_HARBOR_ROLES: 'api' });
    const ofFront = () => processTree([front.pid]).filter((pid) => pid !== front.pid);
    const assistants = await front.client.assistants.search();
    assert.deepEqual(
      assistants.map(({ graph_id }) => graph_id),
      ['steps'],
    );
    const { thread_id: threadId } = await front.client.threads.create();
    const { run_id: runId } = await front.client.runs.create(threadId, 'steps', { input: {} });
    await team.letGo();
    await team.start({ AGENT_HARBOR_ROLES: 'runs' });
    assert.deepEqual(await front.client.runs.join(threadId, runId), { steps: ['first', 'second'] });
    assert.deepEqual(ofFront(), []);

    const { values } = await front.client.threads.getState(threadId);
    assert.deepEqual(values, { steps: ['first', 'second'] });
    assert.ok(ofFront().length > 0, 'its graph has answered');
    assert.equal((await fetch(`${front.url}/ready`)).status, 200);
  });

  it('leave traces to servers that store and return them, and deployments to the others', async () => {
    await using objects = await temporaryFolder();
    await using repository = await gitRepository();
    await repository.push(await linkedProject('traced'));
    const team = platformTeam({ database: await postgres.createDatabase(), objects: objects.path });
    await using tracer = await team.start({ AGENT_HARBOR_ROLES: 'traces' });
    const others = { AGENT_HARBOR_URL: tracer.url };
    await using front = await team.start({ ...others, AGENT_HARBOR_ROLES: 'api' });
    await using worker = await team.start({ ...others, AGENT_HARBOR_ROLES: 'runs,builds' });

    const ask = (node: PlatformNode, place: string, body?: object) =>
      fetch(`${node.url}${place}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': team.key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const isLeft = async (node: PlatformNode, place: string, body?: object) => {
      const answer = await ask(node, place, body);
      assert.equal(answer.status, 503, place);
      assert.match(Refused.parse(await answer.json()).detail, /another role in its team/);
    };

    const created = await front.client.deployments.create({
      body: {
        name: 'slow',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
    await waitForRevision(worker.client.revisions, params);
    const { thread_id: threadId } = await front.agent(created.id).threads.create();
    const { run_id: runId } = await front
      .agent(created.id)
      .runs.create(threadId, 'slow', { input: { ticks: 1 } });
    assert.deepEqual(await front.agent(created.id).runs.join(threadId, runId), {
      ticks: 1,
      greeting: 'traced',
    });
    assert.deepEqual(front.process.children(), [], 'no graphs where none run');

    const query = { trace: runId, is_root: true };
    await eventually(
      'its trace is where traces are',
      async () => Runs.parse(await (await ask(tracer, '/runs/query', query)).json()).runs,
      (runs) => runs.length === 1 && runs[0]?.status === 'success',
      60_000,
    );
    assert.deepEqual(tracer.process.children(), []);
    for (const node of [front, worker]) {
      await isLeft(node, '/runs/query', query);
      await isLeft(node, '/api/v1/sessions');
      await isLeft(node, '/info');
    }
    await isLeft(tracer, '/v2/deployments');
    await isLeft(tracer, `/d/${created.id}/threads/search`, {});
    assert.equal((await ask(tracer, '/nothing')).status, 404);
    for (const node of [tracer, front, worker]) assert.equal((await ask(node, '/ready')).status, 200);
  });
});
