import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { carryOut, followJobs, stateOf } from '../../src/extension/purging/carry-out.ts';
import { dryRun, estimate, knowsDryRuns } from '../../src/extension/purging/preview.ts';
import { type PurgeScope, requestsOf } from '../../src/extension/purging/purge-scope.ts';
import { isRecheckDue } from '../../src/extension/purging/recheck.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { newRun, postParts, sendParts, sessionId } from '../support/traces.ts';
import { eventually } from '../support/wait.ts';

/** Without the embedded server's own calls, as the platform of the tests has none, it looks like any other. */
describe('purging from the editor', function () {
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

  it('asks nothing of a platform for a dry run that might take it for a purge', async () => {
    assert.equal(await knowsDryRuns(client), false);
  });

  it('counts the same by dry run and by query, and shows some of it', async () => {
    const exact = await dryRun(client, ofAdaOrBob());
    assert.deepEqual([exact.traces, exact.runs, exact.feedback, exact.isEstimate], [1, 2, 0, false]);
    assert.ok((exact.bytes ?? 0) > 0);
    const counted = await estimate(client, ofAdaOrBob());
    assert.deepEqual([counted.traces, counted.runs, counted.isEstimate], [1, undefined, true]);
    assert.deepEqual(
      [exact, counted].map(({ samples }) => samples.map(({ name }) => name)),
      [['of ada'], ['of ada']],
    );
    assert.equal((await estimate(client, { kind: 'project', project })).traces, 3);
    assert.equal(await count(), 3);
  });

  it('names the traces to a platform that knows no filter but metadata', async () => {
    const { traceIds } = await carryOut(client, ofAdaOrBob(), {
      isHarbor: false,
      signal: new AbortController().signal,
      onSent: () => {},
    });
    assert.equal(traceIds.length, 1);
    await eventually('one trace less', count, (left) => left === 2);
    const left = await estimate(client, { kind: 'traces', project, traceIds });
    assert.equal(left.traces, 0, 'and finds none of them any more');
  });

  it('follows the jobs of our own server until they are verified', async () => {
    const { jobIds } = await carryOut(
      client,
      { kind: 'project', project },
      { isHarbor: true, signal: new AbortController().signal, onSent: () => {} },
    );
    const state = await followJobs(client, jobIds, {
      signal: AbortSignal.timeout(20_000),
      onState: () => {},
    });
    assert.deepEqual([state.status, state.deleted], ['verified', 3]);
    assert.equal(await count(), 0);
  });

  it('sends a thousand traces a request, and no more requests once it is cancelled', () => {
    const traceIds = Array.from({ length: 2_500 }, (_, n) => String(n));
    const requests = requestsOf({ kind: 'traces', project, traceIds }, '2026-01-01T00:00:00Z');
    assert.deepEqual(
      requests.map(({ trace_ids }) => trace_ids?.length),
      [1000, 1000, 500],
    );
  });

  it('says of jobs that wait for a purge window that they wait', async () => {
    await client.purging.putSettings({ body: { schedule: '0 3 1 1 *' } });
    const { job_id = '' } = await client.purging.deleteRuns({
      body: { session_id: project.id, before: new Date().toISOString() },
    });
    const job = await client.purging.getJob({ params: { job_id } });
    const state = stateOf([job], new Date());
    assert.equal(state.status, 'waiting');
    assert.equal(state.notBefore, job.not_before);
  });
});

describe('looking again for a deletion that a platform has queued', () => {
  const requestedAt = '2026-01-01T00:00:00.000Z';
  const start = Date.parse(requestedAt);
  const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
  const scope = { kind: 'project', project: { id: 'p', name: 'test' } } as const;
  const queued = { id: 'q', connectionId: 'c', scope, requestedAt, traces: 3 };

  it('is due soon at first, and ever more rarely', () => {
    assert.equal(isRecheckDue(queued, start + 4_000), false);
    assert.equal(isRecheckDue(queued, start + 5_000), true);
    const later = { ...queued, remaining: 3, checkedAt: at(600) };
    assert.equal(isRecheckDue(later, start + 890_000), false);
    assert.equal(isRecheckDue(later, start + 900_000), true);
  });

  it('happens twice an hour at least, however old the deletion is', () => {
    const old = { ...queued, remaining: 3, checkedAt: at(1_000_000) };
    assert.equal(isRecheckDue(old, start + 1_001_800_000), true);
  });

  it('waits as long after a look that had no answer', () => {
    assert.equal(isRecheckDue(queued, start + 890_000, start + 600_000), false);
    assert.equal(isRecheckDue(queued, start + 900_000, start + 600_000), true);
  });

  it('is over when nothing was found', () => {
    assert.equal(isRecheckDue({ ...queued, remaining: 0, checkedAt: at(10) }, start + 9_999_000), false);
  });
});
