import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Platform, request, startPlatform, type Workspace } from '../../support/platform.ts';
import { newRun, postParts, sendParts } from '../../support/traces.ts';
import { eventually } from '../../support/wait.ts';

describe('a project that is deleted', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  const of = (workspace: Workspace): Platform => ({
    ...platform,
    workspace,
    fetch: (route, init) => request(platform.url, workspace, route, init),
  });

  /** Creates a project with a run, and deletes it. @returns the response to the deletion, and its outcome */
  async function makeAndDelete(on: Platform, id: string): Promise<{ status: number; ended: string }> {
    const name = `project ${id}`;
    const made = await on.fetch('/sessions', { method: 'POST', body: { id, name } });
    assert.equal(made.status, 200, await made.clone().text());
    assert.equal((await sendParts(on, postParts(newRun({ session_name: name })))).status, 202);
    const deleted = await on.fetch(`/sessions/${id}`, { method: 'DELETE' });
    const text = await deleted.text();
    if (!deleted.ok) return { status: deleted.status, ended: text };
    assert.equal((await on.fetch(`/sessions/${id}`)).status, 404);
    const ended = await eventually(
      'the purge ends',
      async () => {
        const [job] = (await (await on.fetch('/purge/jobs')).json()) as { status: string; matched: number }[];
        return `${job?.status} ${job?.matched}`;
      },
      (job) => /^(verified|failed)/.test(job),
    );
    return { status: deleted.status, ended };
  }

  it('can be made and deleted again with the same ID', async () => {
    const id = randomUUID();
    for (let time = 0; time < 3; time++) {
      assert.deepEqual(await makeAndDelete(platform, id), { status: 202, ended: 'verified 1' });
    }
  });

  it('keeps no other workspace from deleting one with the same ID', async () => {
    const id = randomUUID();
    for (const workspace of [await platform.newWorkspace(), await platform.newWorkspace()]) {
      assert.deepEqual(await makeAndDelete(of(workspace), id), { status: 202, ended: 'verified 1' });
    }
  });
});
