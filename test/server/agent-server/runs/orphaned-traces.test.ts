import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { OrphanedTraces } from '../../../../src/server/agent-server/runs/orphaned-traces.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { startPlatform } from '../../../support/platform.ts';
import { eventually } from '../../../support/wait.ts';

const PROJECT = 'orphaned';
const HOUR_AGO = new Date(performance.timeOrigin - 3_600_000).toISOString();

describe('traces that an earlier server has left open', function () {
  this.timeout(60_000);

  it('end with the runs of this deployment that have ended, in whatever project they are', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const platform = await startPlatform();
    const begin = async (project: string, run?: { deployment: string; ended: boolean }) => {
      const id = randomUUID();
      if (run !== undefined) {
        const [thread_id, deployment_id] = [randomUUID(), run.deployment];
        const at = { created_at: HOUR_AGO, updated_at: HOUR_AGO };
        await db
          .insertInto('threads')
          .values({
            ...at,
            thread_id,
            deployment_id,
            metadata: '{}',
            status: 'idle',
            config: '{}',
            interrupts: '{}',
          })
          .execute();
        await db
          .insertInto('runs')
          .values({
            ...at,
            run_id: id,
            thread_id,
            deployment_id,
            assistant_id: 'a',
            graph_id: 'g',
            status: run.ended ? 'success' : 'running',
            metadata: '{}',
            kwargs: '{}',
            multitask_strategy: 'enqueue',
            attempt: 1,
            stateless: 0,
            ended_at: run.ended ? HOUR_AGO : null,
          })
          .execute();
      }
      const segment = `${HOUR_AGO.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`;
      const span = { id, trace_id: id, dotted_order: segment, name: 'agent', run_type: 'chain' };
      const extra = { metadata: { run_attempt: 1 } };
      const said = { session_name: project, start_time: HOUR_AGO, inputs: {}, extra };
      await platform.fetch('/runs/batch', { method: 'POST', body: { post: [{ ...span, ...said }] } });
      return id;
    };
    const statusOf = async (id: string) =>
      ((await (await platform.fetch(`/runs/${id}`)).json()) as { status: string }).status;
    try {
      const ended = { deployment: DEPLOYMENT, ended: true };
      const left = [
        await begin(PROJECT),
        await begin(PROJECT, ended),
        await begin('of an experiment', ended),
      ];
      const kept = [
        await begin('of an experiment'),
        await begin('of an experiment', { deployment: DEPLOYMENT, ended: false }),
      ];
      new OrphanedTraces({
        db,
        traces: platform.tracing.interruptedTraces(platform.workspace.id, PROJECT),
        deploymentId: DEPLOYMENT,
        logger: makeLogger({ level: 'silent' }),
      }).endOrphanedTraces([]);
      for (const id of left)
        await eventually('it has ended', async () => (await statusOf(id)) === 'error', Boolean, 20_000);
      for (const id of kept) assert.equal(await statusOf(id), 'pending');
    } finally {
      await platform.close();
    }
  });
});
