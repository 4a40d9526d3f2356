import assert from 'node:assert/strict';
import { z } from 'zod';
import { type GraphProject, graphProject } from '../support/projects.ts';
import { configure } from '../support/served-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, patience } from '../support/wait.ts';
import { CrashingServer } from './crashing-server.ts';
import { call, Run } from './workload.ts';

interface Span {
  readonly name: string;
  readonly status: string;
  readonly child_runs: readonly Span[];
}
const Span: z.ZodType<Span> = z.lazy(() =>
  z.looseObject({ name: z.string(), status: z.string(), child_runs: z.array(Span) }),
);
const Recorded = z.looseObject({ error: z.string().nullish() });

describe('the trace of a run whose process was killed', function () {
  this.timeout(120_000);
  let project: GraphProject;
  before(async () => {
    project = await graphProject({ line: 'langgraph-1.7' });
    await configure(project.folder, { graphs: { slow: './troubles.ts:slow' } });
  });
  after(() => project[Symbol.asyncDispose]());

  async function get<Schema extends z.ZodType>(server: CrashingServer, route: string, schema: Schema) {
    const response = await fetch(`${server.platformUrl}${route}`, {
      headers: { 'x-api-key': server.apiKey },
    });
    return response.ok ? schema.parse(await response.json()) : undefined;
  }

  /** A run whose first step has been traced, and whose second step is in progress. */
  async function begun(server: CrashingServer, ms: number): Promise<z.output<typeof Run>> {
    const { thread_id } = await call(
      server.url,
      'POST',
      '/threads',
      {},
      z.looseObject({ thread_id: z.string() }),
    );
    const body = { assistant_id: 'slow', input: { ms } };
    const run = await call(server.url, 'POST', `/threads/${thread_id}/runs`, body, Run);
    await eventually(
      'the trace has the step that works',
      () => trace(server, run.run_id),
      (root) => statuses(root).get('work')?.includes('pending') === true,
    );
    return run;
  }

  function trace(server: CrashingServer, runId: string): Promise<Span | undefined> {
    return get(server, `/traces/${runId}/tree`, Span);
  }

  it('continues with the next attempt, or ends with the reason', async () => {
    await using data = await temporaryFolder();
    const first = await CrashingServer.start(data.path, project.folder);
    assert.ok(first !== undefined);
    const { run_id } = await begun(first, 3_000 * patience);
    first.kill();
    await first.gone;
    const server = await CrashingServer.start(data.path, project.folder);
    assert.ok(server !== undefined);
    try {
      const continued = await eventually(
        'the trace has ended',
        () => trace(server, run_id),
        (root) => root !== undefined && ![...statuses(root).values()].flat().includes('pending'),
        60_000,
      );
      assert.equal(continued?.status, 'success');
      assert.deepEqual(statuses(continued).get('work')?.toSorted(), ['error', 'success']);

      const lost = await begun(server, 60_000 * patience);
      const ended = await eventually(
        'the run is given up',
        async () => {
          server.killRuntimes();
          return call(server.url, 'GET', `/threads/${lost.thread_id}/runs/${lost.run_id}`, undefined, Run);
        },
        ({ status }) => status === 'error',
        60_000,
      );
      assert.equal(ended.status, 'error');
      const interrupted = await eventually(
        'its trace has ended',
        () => trace(server, lost.run_id),
        (root) => root !== undefined && ![...statuses(root).values()].flat().includes('pending'),
      );
      assert.equal(interrupted?.status, 'error');
      assert.match((await get(server, `/runs/${lost.run_id}`, Recorded))?.error ?? '', /^interrupted: /);
    } finally {
      await server.end();
    }
  });
});

/** The statuses of a trace's spans by their names. */
function statuses(root: Span | undefined, found = new Map<string, string[]>()): Map<string, string[]> {
  if (root === undefined) return found;
  found.set(root.name, [...(found.get(root.name) ?? []), root.status]);
  for (const child of root.child_runs) statuses(child, found);
  return found;
}
