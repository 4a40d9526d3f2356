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

  it('are the same on all servers, even if another server continued the run, and can be purged on any', async () => {
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
      // The killed server's unsent spans are lost; the step that another one has done is there.
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

  it('say that an interrupted attempt continued elsewhere, and how the run ended', async () => {
    await using own = await makeTeam(await postgres.createDatabase());
    const [first, second] = [await own.start(), await own.start()];
    const { threadId, runId } = await own.begin(first);
    await eventually('the step that works is traced', async () =>
      (await spansOf(second, runId)).some(({ name, status }) => name === 'second' && status === 'pending'),
    );
    process.kill(first.pid, 'SIGKILL');
    await own.letGo();
    await second.client.runs.join(threadId, runId);
    const spans = await eventually(
      'the trace has ended',
      () => spansOf(second, runId),
      (all) => all.every(({ status }) => status !== 'pending'),
      60_000,
    );
    const of = (wanted: string) => spans.filter(({ name }) => name === wanted);
    assert.deepEqual(
      of('second')
        .map(({ status, error }) => [status, error])
        .toSorted(),
      [
        ['error', 'interrupted: this attempt was cut off, and attempt 2 continued the run.'],
        ['success', null],
      ],
    );
    assert.deepEqual(
      of('steps').map(({ status, error }) => [status, error]),
      [['success', null]],
    );
  });

  it('end when the run of a killed server is canceled before another one continues it', async () => {
    await using own = await makeTeam(await postgres.createDatabase());
    const [first, second] = [await own.start(), await own.start()];
    const { threadId, runId } = await own.begin(first);
    await eventually('the run is traced', async () => (await spansOf(second, runId)).length > 0);
    process.kill(first.pid, 'SIGKILL');
    await second.client.runs.cancel(threadId, runId);
    const spans = await eventually(
      'the trace has ended',
      () => spansOf(second, runId),
      (all) => all.every(({ status }) => status !== 'pending'),
      60_000,
    );
    assert.match(spans.find(({ name }) => name === 'steps')?.error ?? '', /^interrupted: /);
  });

  it('end even when their server was killed after the end of the run, before it had sent them', async () => {
    await using own = await makeTeam(await postgres.createDatabase());
    const [first, second] = [await own.start(), await own.start()];
    const { threadId, runId } = await own.begin(first);
    await eventually('the run is traced', async () => (await spansOf(second, runId)).length > 0);
    await own.letGo();
    await first.client.runs.join(threadId, runId);
    process.kill(first.pid, 'SIGKILL');
    await eventually(
      'the trace has ended',
      () => spansOf(second, runId),
      (all) => all.every(({ status }) => status !== 'pending'),
      90_000,
    );
  });
});

interface Span {
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
}

/** The spans of a run, as a server has them. */
async function spansOf(node: TeamNode, runId: string): Promise<Span[]> {
  const { runs = [] } = (await ask(node, '/runs/query', { trace: runId })) as { runs?: Span[] };
  return runs;
}

/** Sends a request to the platform of a server. */
async function ask(node: TeamNode, route: string, body?: object): Promise<unknown> {
  const response = await fetch(`${node.platform.url}${route}`, {
    headers: { 'x-api-key': node.platform.key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}
