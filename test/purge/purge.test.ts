import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { RequestError } from '../../src/client/request-error.ts';
import { findTraces } from '../../src/purge/find-traces.ts';
import { isHarbor } from '../../src/purge/is-harbor.ts';
import { type PurgePlan, planPurge } from '../../src/purge/plan-purge.ts';
import { queuePurge } from '../../src/purge/queue-purge.ts';
import { type PurgeScope, requestsOf } from '../../src/purge/scope.ts';
import { sumUpJobs, watchJobs } from '../../src/purge/watch-jobs.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { newRun, postParts, sendParts, sessionId } from '../support/traces.ts';
import { eventually } from '../support/wait.ts';

/** Without the embedded server's own calls, as the platform of the tests has none, it looks like any other. */
describe('purging traces', function () {
  this.timeout(30_000);
  const dispatcher = createDispatcher();
  let platform: Platform;
  let client: Client;
  let project: { readonly id: string; readonly name: string };

  before(async () => {
    platform = await startPlatform();
    client = new Client({
      dispatcher,
      connection: {
        baseUrl: platform.url,
        controlPlaneUrl: platform.url,
        credentials: { apiKey: platform.workspace.key },
      },
    });
  });

  beforeEach(async () => {
    const name = `purged ${randomUUID()}`;
    for (const user of ['ada', 'bob', 'cyd']) {
      const root = newRun({ session_name: name, name: `of ${user}`, extra: { metadata: { user } } });
      const child = newRun({ session_name: name, parent: root, name: 'child' });
      await sendParts(platform, [...postParts(root, { inputs: { question: 'Why?' } }), ...postParts(child)]);
    }
    project = { id: await sessionId(platform, name), name };
  });

  after(async () => {
    await platform.close();
    await dispatcher.close();
  });

  const count = async (): Promise<number> => {
    const { runs } = await client.tracing.runs.query({ body: { session: [project.id], is_root: true } });
    return runs.length;
  };
  const ofAdaOrBob = (): PurgeScope => ({
    kind: 'metadata',
    metadata: { user: 'ada', name: 'nobody' },
    project,
  });

  /** The requests for a server of our own, which this platform understands though it does not introduce itself. */
  const ownPlan = (scope: PurgeScope): PurgePlan => ({
    hasJobs: true,
    requests: requestsOf(scope, new Date().toISOString()),
    preview: { traces: 0, samples: [] },
  });

  it('treats a platform without our handshake as another one, and sends it no dry run', async () => {
    assert.equal(await isHarbor(client), false);
    const plan = await planPurge(client, ofAdaOrBob());
    assert.equal(plan.hasJobs, false);
    assert.ok(plan.requests.every((request) => !('dry_run' in request) && !('before' in request)));
    assert.equal(await count(), 3, 'and nothing was deleted');
  });

  it('does not treat an unreachable server as another platform', async () => {
    const gone = new Client({
      dispatcher,
      connection: {
        baseUrl: 'http://127.0.0.1:9',
        controlPlaneUrl: 'http://127.0.0.1:9',
        credentials: { apiKey: 'none' },
      },
    });
    await assert.rejects(planPurge(gone, ofAdaOrBob()), RequestError);
  });

  it('finds the traces of a scope, counts them, and shows some', async () => {
    const { preview } = await planPurge(client, ofAdaOrBob());
    assert.deepEqual([preview.traces, preview.runs], [1, undefined]);
    assert.deepEqual(
      preview.samples.map(({ name }) => name),
      ['of ada'],
    );
    assert.equal((await planPurge(client, { kind: 'project', project })).preview.traces, 3);
    const earlier = { kind: 'project', project, before: '2001-01-01T00:00:00Z' } as const;
    assert.deepEqual((await planPurge(client, earlier)).requests, []);
  });

  it('sends trace IDs to a platform that can only filter by metadata', async () => {
    const { traceIds } = await queuePurge(client, await planPurge(client, ofAdaOrBob()));
    assert.equal(traceIds.length, 1);
    await eventually('one trace less', count, (left) => left === 2);
    assert.deepEqual(await findTraces(client, { kind: 'traces', project, traceIds }), []);
  });

  it('follows the jobs of an Agent Harbor server until they are verified', async () => {
    const { jobIds } = await queuePurge(client, ownPlan({ kind: 'project', project }));
    const seen: string[] = [];
    let deleted = 0;
    for await (const jobs of watchJobs(client, jobIds, AbortSignal.timeout(20_000))) {
      const state = sumUpJobs(jobs, new Date());
      assert.ok(state.deleted >= deleted && state.deleted <= state.matched, 'the count only grows');
      deleted = state.deleted;
      seen.push(state.status);
    }
    assert.deepEqual([seen.at(-1), deleted], ['verified', 3]);
    assert.equal(await count(), 0);
  });

  it('sends a thousand traces per request, and no further request once it is canceled', async () => {
    const traceIds = Array.from({ length: 2_500 }, () => randomUUID());
    const plan = ownPlan({ kind: 'traces', project, traceIds });
    assert.deepEqual(
      plan.requests.map(({ trace_ids }) => trace_ids?.length),
      [1000, 1000, 500],
    );
    const jobsBefore = (await client.purging.listJobs({ query: { limit: 100 } })).length;
    const cancel = new AbortController();
    const sent: string[] = [];
    const queued = await queuePurge(client, plan, {
      signal: cancel.signal,
      onSent: (number, of) => {
        sent.push(`${number} of ${of}`);
        cancel.abort();
      },
    });
    assert.deepEqual(sent, ['1 of 3']);
    assert.equal(queued.traceIds.length, 1000);
    const jobs = await client.purging.listJobs({ query: { limit: 100 } });
    assert.equal(jobs.length, jobsBefore + 1);
  });

  it('reports jobs that wait for a purge window', async () => {
    await client.purging.putSettings({ body: { schedule: '0 3 1 1 *' } });
    const { job_id = '' } = await client.purging.deleteRuns({
      body: { session_id: project.id, before: new Date().toISOString() },
    });
    const job = await client.purging.getJob({ params: { job_id } });
    const state = sumUpJobs([job], new Date());
    assert.equal(state.status, 'waiting');
    assert.equal(state.notBefore, job.not_before);
  });
});
