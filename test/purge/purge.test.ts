import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { isHarbor } from '../../src/client/is-harbor.ts';
import { RequestError } from '../../src/client/request-error.ts';
import { findTraces } from '../../src/purge/find-traces.ts';
import { type PurgePlan, planPurge } from '../../src/purge/plan-purge.ts';
import { queuePurge } from '../../src/purge/queue-purge.ts';
import { runPurge } from '../../src/purge/run-purge.ts';
import type { PurgeScope } from '../../src/purge/scope.ts';
import { sumUpJobs } from '../../src/purge/watch-jobs.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { type QuietPlatform, quietPlatform } from '../support/quiet-platform.ts';
import { newRun, postParts, sendParts, sessionId } from '../support/traces.ts';
import { eventually } from '../support/wait.ts';

describe('purging traces', function () {
  this.timeout(30_000);
  const dispatcher = createDispatcher();
  let platform: Platform;
  let client: Client;
  let quiet: QuietPlatform;
  /** The same traces, on a platform that is not an Agent Harbor server. */
  let other: Client;
  let project: { readonly id: string; readonly name: string };

  before(async () => {
    platform = await startPlatform();
    quiet = await quietPlatform(platform.url);
    const at = (url: string) =>
      new Client({
        dispatcher,
        connection: { baseUrl: url, controlPlaneUrl: url, credentials: { apiKey: platform.workspace.key } },
      });
    client = at(platform.url);
    other = at(quiet.url);
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
    await quiet[Symbol.asyncDispose]();
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

  it('asks an Agent Harbor server for a dry run', async () => {
    assert.equal(await isHarbor(client), true);
    const { hasJobs, preview } = await planPurge(client, ofAdaOrBob());
    assert.deepEqual([hasJobs, preview.traces, preview.runs], [true, 1, 2]);
    assert.equal(await count(), 3, 'and nothing was deleted');
  });

  it('asks a platform only once what it is, for all callers', async () => {
    const paths: string[] = [];
    const counting = dispatcher.compose((dispatch) => (options, handler) => {
      paths.push(options.path);
      return dispatch(options, handler);
    });
    const asking = new Client({ dispatcher: counting, connection: client.connection });
    const leaving = new AbortController();
    const left = isHarbor(asking, { signal: leaving.signal });
    const others = Promise.all([isHarbor(asking), planPurge(asking, ofAdaOrBob())]);
    leaving.abort();
    await assert.rejects(left, { name: 'AbortError' });
    assert.equal((await others)[0], true);
    assert.equal(await isHarbor(asking), true);
    assert.equal(paths.filter((path) => path.endsWith('/info')).length, 1, paths.join());
  });

  it('sends another platform no dry run', async () => {
    assert.equal(await isHarbor(other), false);
    const plan = await planPurge(other, ofAdaOrBob());
    assert.equal(plan.hasJobs, false);
    assert.ok(plan.requests.length > 0);
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
    const { preview } = await planPurge(other, ofAdaOrBob());
    assert.deepEqual([preview.traces, preview.runs], [1, undefined]);
    assert.deepEqual(
      preview.samples.map(({ name }) => name),
      ['of ada'],
    );
    assert.equal((await planPurge(other, { kind: 'project', project })).preview.traces, 3);
    const earlier = { kind: 'project', project, before: '2001-01-01T00:00:00Z' } as const;
    assert.deepEqual((await planPurge(other, earlier)).requests, []);
  });

  it('finds traces with metadata in any of more projects than a page has', async () => {
    const user = randomUUID();
    const root = newRun({ session_name: project.name, extra: { metadata: { user } } });
    await sendParts(platform, postParts(root));
    for (let at = 0; at < 101; at++) {
      const made = await platform.fetch('/sessions', { method: 'POST', body: { name: `${user} ${at}` } });
      assert.equal(made.status, 200);
    }
    const found = await findTraces(other, { kind: 'metadata', metadata: { user } });
    assert.deepEqual(found, [{ traceId: root.id, sessionId: project.id }]);
  });

  it('finds given traces only in their project, each once, and not by the ID of a child', async () => {
    const root = newRun({ session_name: project.name });
    const child = newRun({ session_name: project.name, parent: root });
    const elsewhere = newRun({ session_name: `${project.name} too` });
    await sendParts(platform, [...postParts(root), ...postParts(child), ...postParts(elsewhere)]);
    const absent = Array.from({ length: 100 }, () => randomUUID());
    const traceIds = [root.id, child.id, elsewhere.id, ...absent, root.id];
    const found = await findTraces(other, { kind: 'traces', project, traceIds });
    assert.deepEqual(found, [{ traceId: root.id, sessionId: project.id }]);
    assert.deepEqual(await findTraces(other, { kind: 'traces', project, traceIds: [child.id] }), []);
  });

  it('sends trace IDs to a platform that can only filter by metadata', async () => {
    const { traceIds } = await queuePurge(other, await planPurge(other, ofAdaOrBob()));
    assert.equal(traceIds.length, 1);
    await eventually('one trace less', count, (left) => left === 2);
    assert.deepEqual(await findTraces(other, { kind: 'traces', project, traceIds }), []);
  });

  it('follows the jobs of an Agent Harbor server until they are verified', async () => {
    let deleted = 0;
    const outcome = await runPurge(client, await planPurge(client, { kind: 'project', project }), {
      onProgress: (state) => {
        assert.ok(state.deleted >= deleted && state.deleted <= state.matched, 'the count only grows');
        deleted = state.deleted;
      },
    });
    assert.equal(outcome.kind, 'ended');
    assert.deepEqual([outcome.state.status, outcome.state.deleted, deleted], ['verified', 3, 3]);
    assert.equal(await count(), 0);
  });

  describe('in several requests', () => {
    let plan: PurgePlan;

    beforeEach(async () => {
      const traceIds = Array.from({ length: 2_500 }, () => randomUUID());
      plan = await planPurge(client, { kind: 'traces', project, traceIds });
    });

    const countJobs = async (): Promise<number> =>
      (await client.purging.listJobs({ query: { limit: 100 } })).length;

    it('sends a thousand traces per request', () => {
      assert.deepEqual(
        plan.requests.map(({ trace_ids }) => trace_ids?.length),
        [1000, 1000, 500],
      );
    });

    for (const hasJobs of [true, false]) {
      const platformName = hasJobs ? 'a platform with jobs' : 'a platform without jobs';

      it(`stops between requests when it is canceled, and reports what ${platformName} carries out`, async () => {
        const jobsBefore = await countJobs();
        const cancel = new AbortController();
        const sent: string[] = [];
        const outcome = await runPurge(
          client,
          { ...plan, hasJobs },
          {
            signal: cancel.signal,
            onSent: (number, of) => {
              sent.push(`${number} of ${of}`);
              cancel.abort();
            },
          },
        );
        assert.equal(outcome.kind, 'stopped');
        assert.deepEqual(sent, ['1 of 3']);
        assert.deepEqual(outcome.queued.traceIds, plan.requests[0]?.trace_ids);
        assert.equal(outcome.error, undefined);
        assert.equal(await countJobs(), jobsBefore + 1);
      });

      it(`requests nothing from ${platformName} when it is canceled before the first request`, async () => {
        const jobsBefore = await countJobs();
        const outcome = await runPurge(client, { ...plan, hasJobs }, { signal: AbortSignal.abort() });
        assert.deepEqual(outcome, {
          kind: 'stopped',
          queued: { sent: 0, jobIds: [], traceIds: [] },
          error: undefined,
        });
        assert.equal(await countJobs(), jobsBefore);
      });
    }

    it('reports what is carried out when a later request is refused', async () => {
      const [first, ...others] = plan.requests;
      assert.ok(first);
      const refused = others.map((request) => ({ ...request, trace_ids: ['not an ID'] }));
      const outcome = await runPurge(client, { ...plan, requests: [first, ...refused] }, {});
      assert.equal(outcome.kind, 'stopped');
      assert.deepEqual([outcome.queued.sent, outcome.queued.jobIds.length], [1, 1]);
      assert.ok(outcome.error instanceof RequestError && outcome.error.status === 422);
    });

    it('fails when the first request is refused', async () => {
      const requests = [{ session_id: project.id, trace_ids: ['not an ID'] }];
      await assert.rejects(runPurge(client, { ...plan, requests }, {}), RequestError);
    });
  });

  it('continues on the server when watching it is canceled', async () => {
    const cancel = new AbortController();
    const outcome = await runPurge(client, await planPurge(client, { kind: 'project', project }), {
      signal: cancel.signal,
      onSent: () => cancel.abort(),
    });
    assert.deepEqual(outcome, { kind: 'unwatched', error: undefined });
    await eventually('no trace left', count, (left) => left === 0);
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
