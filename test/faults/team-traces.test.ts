import assert from 'node:assert/strict';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { makeTeam, type Team, type TeamNode } from '../support/team.ts';
import { eventually } from '../support/wait.ts';

describe('traces of a team', function () {
  this.timeout(300_000);
  let postgres: Postgres;
  let team: Team;
  before(async function () {
    postgres = await requirePostgres(this);
    this.timeout(300_000);
    team = await makeTeam(await postgres.createDatabase());
  });
  after(async () => {
    await team?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  it('are one for all servers, also of a run that another one continues, and are purged through any', async () => {
    const [first, second, third] = [await team.start(), await team.start(), await team.start()];
    const { threadId, runId } = await team.begin(first);
    process.kill(first.pid, 'SIGKILL');
    await team.letGo();
    await second.client.runs.join(threadId, runId);
    for (const node of [second, third]) {
      const trace = await eventually(
        'the trace has ended',
        async () => {
          const root = (await ask(node, `/runs/${runId}`)) as { status?: string; trace_id: string };
          return root.status === 'success' ? root : undefined;
        },
        Boolean,
        60_000,
      );
      const { runs } = (await ask(node, '/runs/query', { trace: trace?.trace_id })) as {
        runs: { name: string; status: string }[];
      };
      assert.deepEqual([...new Set(runs.map(({ status }) => status))], ['success'], JSON.stringify(runs));
      // What the killed server had not sent is lost; the step that another one has done is there.
      assert.ok(
        runs.some(({ name }) => name === 'second'),
        JSON.stringify(runs),
      );
    }
    const { job_id } = (await ask(third, '/api/v1/runs/delete', { metadata: { thread_id: threadId } })) as {
      job_id: string;
    };
    const job = await eventually(
      'the purge ends',
      async () => {
        const { status, deleted } = (await ask(second, `/purge/jobs/${job_id}`)) as {
          status: string;
          deleted: number;
        };
        return ['verified', 'failed'].includes(status) ? { status, deleted } : undefined;
      },
      Boolean,
      120_000,
    );
    assert.deepEqual(job, { status: 'verified', deleted: 1 });
  });
});

/** Asks the platform of a server. */
async function ask(node: TeamNode, route: string, body?: object): Promise<unknown> {
  const response = await fetch(`${node.platform.url}${route}`, {
    headers: { 'x-api-key': node.platform.key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}
