import assert from 'node:assert/strict';
import type { PurgeJob } from '../../../src/contract/purging.ts';
import { type Platform, request, startPlatform, type Workspace } from '../../support/platform.ts';
import { BOUNDARY, multipartBody, newRun, postParts, sendParts } from '../../support/traces.ts';
import { eventually } from '../../support/wait.ts';

describe('deleting a workspace', () => {
  let platform: Platform;
  let doomed: Workspace;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());
  beforeEach(async () => {
    doomed = await platform.newWorkspace();
  });

  const inDoomed = async (route: string, init: { method?: string; body?: unknown } = {}) => {
    const response = await request(platform.url, doomed, route, init);
    assert.ok(response.ok, `${route}: ${response.status}`);
    return (await response.json()) as { id: string; url: string; share_token: string };
  };
  const jobOf = (id: string) =>
    eventually(
      'the purge ends',
      async () => (await (await platform.fetch(`/purge/jobs/${id}`)).json()) as PurgeJob,
      ({ status }) => status === 'verified' || status === 'failed',
    );

  it('closes it immediately and purges everything in it, and nothing else', async () => {
    const kept = newRun();
    await sendParts(platform, postParts(kept, { inputs: { mine: true } }));
    const run = newRun();
    const child = newRun({ parent: run });
    const sent = await request(platform.url, doomed, '/runs/multipart', {
      method: 'POST',
      body: multipartBody([
        ...postParts(run, { inputs: { word: 'heirloom' }, extra: { metadata: { user: 'u1' } } }),
        ...postParts(child),
        { name: `attachment.${run.id}.note`, content: Buffer.from('note'), contentType: 'text/plain' },
      ]),
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    assert.equal(sent.status, 202);
    await inDoomed('/feedback', { method: 'POST', body: { run_id: run.id, key: 'k', score: 1 } });
    const token = await inDoomed('/feedback/tokens', {
      method: 'POST',
      body: { run_id: run.id, feedback_key: 'k' },
    });
    const share = await inDoomed(`/runs/${run.id}/share`, { method: 'PUT', body: {} });
    const dataset = await inDoomed('/datasets', { method: 'POST', body: { name: 'd' } });
    await inDoomed('/examples', { method: 'POST', body: { dataset_id: dataset.id, inputs: { a: 1 } } });
    await inDoomed('/runs/rules', { method: 'POST', body: { display_name: 'r', filter: 'eq(name, "x")' } });
    await inDoomed('/ttl-settings', { method: 'PUT', body: { default_trace_tier: 'longlived' } });

    const answer = await platform.fetch(`/workspaces/${doomed.id}`, { method: 'DELETE' });
    assert.equal(answer.status, 202);
    const { job_id } = (await answer.json()) as { job_id: string };
    assert.equal((await request(platform.url, doomed, '/sessions')).status, 401);
    const job = await jobOf(job_id);
    assert.deepEqual([job.kind, job.status, job.matched, job.remaining], ['workspace', 'verified', 1, 0]);
    assert.equal(job.matched_runs, 2);
    assert.equal((await fetch(`${token.url}?score=1`)).status, 404);
    assert.equal((await fetch(`${platform.url}/public/${share.share_token}/run`)).status, 404);
    assert.equal((await platform.fetch(`/runs/${kept.id}`)).status, 200);
    const workspaces = JSON.stringify(await (await platform.fetch('/workspaces')).json());
    assert.ok(!workspaces.includes(doomed.id));
    const [entry] = (await (await platform.fetch('/purge/audit?limit=1')).json()) as {
      event: string;
      counts: { remaining: object };
    }[];
    assert.equal(entry?.event, 'verified');
  });

  it('keeps keys with access to another workspace', async () => {
    const made = await platform.fetch('/api-key', {
      method: 'POST',
      body: { workspaces: [platform.workspace.id, doomed.id] },
    });
    const { key } = (await made.json()) as { key: string };
    const answer = await platform.fetch(`/workspaces/${doomed.id}`, { method: 'DELETE' });
    await jobOf(((await answer.json()) as { job_id: string }).job_id);
    assert.equal((await request(platform.url, { id: '', key }, '/sessions')).status, 200);
  });

  it('is refused for the caller’s own, the machine’s own, and a missing one', async () => {
    const attempt = (workspace: Workspace, id: string) =>
      request(platform.url, workspace, `/workspaces/${id}`, { method: 'DELETE' });
    const own = await attempt(doomed, doomed.id);
    assert.equal(own.status, 409);
    assert.match(await own.text(), /x-tenant-id/);
    assert.equal((await attempt(doomed, platform.workspace.id)).status, 404);
    const made = await platform.fetch('/api-key', {
      method: 'POST',
      body: { workspaces: [platform.workspace.id, doomed.id], rights: ['admin'] },
    });
    const both = { id: doomed.id, key: ((await made.json()) as { key: string }).key };
    const machines = await request(platform.url, both, `/workspaces/${platform.workspace.id}`, {
      method: 'DELETE',
      headers: { 'x-tenant-id': doomed.id },
    });
    assert.equal(machines.status, 409);
    assert.equal((await attempt(doomed, crypto.randomUUID())).status, 404);
    const elsewhere = await platform.fetch('/orgs', { method: 'POST', body: { display_name: 'Other' } });
    const { key, workspace_id } = (await elsewhere.json()) as { key: string; workspace_id: string };
    assert.equal((await attempt({ id: workspace_id, key }, doomed.id)).status, 404);
  });
});
