import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import type { Objects } from '../../src/server/team/objects/objects.ts';
import { openObjects } from '../../src/server/team/objects/open-objects.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { isAlive } from '../support/process-tree.ts';
import { type PlatformNode, type PlatformTeam, platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { BOUNDARY, multipartBody, newRun, postParts, type TestRun } from '../support/traces.ts';
import { eventually } from '../support/wait.ts';

const TEXT = 'goldcrest '.repeat(150_000);
const Run = z.object({ inputs: z.object({ text: z.string() }) });
const Job = z.object({ status: z.string(), step: z.string() });

describe('large payloads of a team whose servers crash', function () {
  this.timeout(300_000);
  let postgres: Postgres;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: string;
  let objects: Objects;
  let team: PlatformTeam;
  /** The server that survives. */
  let survivor: PlatformNode;
  before(async function () {
    postgres = await requirePostgres(this);
    folder = await temporaryFolder();
    const place = path.join(folder.path, 'objects');
    database = await postgres.createDatabase();
    team = platformTeam({ database, objects: place });
    survivor = await team.start();
    objects = await openObjects(place, {});
  });
  after(async () => {
    await survivor?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  const ask = async (node: PlatformNode, route: string, init: RequestInit = {}) =>
    fetch(`${node.url}${route}`, { ...init, headers: { 'x-api-key': team.key, ...init.headers } });
  const send = (node: PlatformNode, run: TestRun) =>
    ask(node, '/runs/multipart', {
      method: 'POST',
      body: new Uint8Array(multipartBody(postParts(run, { inputs: { text: TEXT } }))),
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
  const crash = async (at: string, work: (node: PlatformNode) => Promise<unknown>) => {
    await using node = await team.start({ AGENT_HARBOR_CRASH_AT: at });
    await assert.rejects(work(node), 'it has crashed before it answered');
  };
  const stored = () => objects.list('traces/');
  const named = async () => {
    const found = await query(database, 'select object from harbor_traces.blobs order by object');
    return found.map(({ object }) => object);
  };
  const loose = () => query(database, 'select name, doomed_at from harbor_traces.loose_objects');
  /** Removes leftovers now instead of in an hour. */
  const removeLoose = async () => {
    await query(database, 'update harbor_traces.loose_objects set due = now()');
    await eventually('nothing is left over', async () => (await loose()).length === 0, Boolean, 30_000);
  };

  it('leave nothing when they are refused', async () => {
    const run = { ...newRun(), trace_id: randomUUID() };
    assert.equal((await send(survivor, run)).status, 422);
    await eventually('nothing is left over', async () => (await loose()).length === 0, Boolean, 30_000);
    assert.deepEqual(await stored(), await named());
  });

  for (const [at, uploaded] of [
    ['objects-reserved', 0],
    ['objects-uploaded', 1],
  ] as const)
    it(`leave no run, and no object for long, when a server crashes at ${at}`, async () => {
      const run = newRun();
      const before_ = await stored();
      await crash(at, (node) => send(node, run));
      assert.equal((await ask(survivor, `/runs/${run.id}`)).status, 404);
      assert.equal((await stored()).length, before_.length + uploaded);
      assert.equal((await loose()).length, 1, 'it is known of what may have been uploaded');
      // The client sends it again.
      assert.equal((await send(survivor, run)).status, 202);
      await removeLoose();
      assert.deepEqual(await stored(), await named());
      assert.equal((await stored()).length, before_.length + 1);
      assert.equal(Run.parse(await (await ask(survivor, `/runs/${run.id}`)).json()).inputs.text, TEXT);
    });

  it('are purged even when the server that removes them crashes', async () => {
    const run = newRun();
    assert.equal((await send(survivor, run)).status, 202);
    const sessions = await ask(survivor, `/sessions?name=${run.session_name}`);
    const [session] = z.array(z.object({ id: z.string() })).parse(await sessions.json());
    await survivor[Symbol.asyncDispose]();
    await using doomed = await team.start({ AGENT_HARBOR_CRASH_AT: 'object-removed' });
    const purge = await ask(doomed, '/api/v1/runs/delete', {
      method: 'POST',
      body: JSON.stringify({ session_id: session?.id, trace_ids: [run.trace_id] }),
      headers: { 'content-type': 'application/json' },
    });
    const { job_id: jobId } = z.object({ job_id: z.string() }).parse(await purge.json());
    await eventually('it has crashed', () => !isAlive(doomed.process.pid), Boolean, 60_000);
    await using next = await team.start();
    const job = async () => Job.parse(await (await ask(next, `/purge/jobs/${jobId}`)).json());
    assert.equal((await job()).step, 'cleaning', 'it is not proven that the object is gone');
    await query(database, 'update harbor_traces.loose_objects set due = now()');
    await eventually('it is verified', async () => (await job()).status === 'verified', Boolean, 60_000);
    assert.deepEqual(await loose(), []);
    assert.deepEqual(await stored(), await named());
  });
});

async function query(database: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
