import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { RevisionFailedError, waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { cli } from '../../support/cli.ts';
import { LINK_PACKAGES, linkedProject } from '../../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually, patience } from '../../support/wait.ts';

/** Records the version of the code in each of two nodes, and waits for a file between them. */
const graphOf = (version: string, gates: string) => `
import { existsSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  gate: Annotation,
  seen: Annotation({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
const note = () => ({ seen: ['${version}'] });
async function wait({ gate }) {
  while (!existsSync(${JSON.stringify(gates)} + '/' + gate)) await new Promise((resolve) => setTimeout(resolve, 50));
  return note();
}
export const graph = new StateGraph(State)
  .addNode('first', note)
  .addNode('second', wait)
  .addEdge('__start__', 'first')
  .addEdge('first', 'second')
  .compile();
`;

describe('a revision that drains', function () {
  this.timeout(90_000);
  let server: ServerProcess;
  let repository: GitRepository;
  let gates: Awaited<ReturnType<typeof temporaryFolder>>;
  let params: { deployment_id: string };
  let first: string;

  before(async () => {
    gates = await temporaryFolder();
    await writeFile(path.join(gates.path, 'open'), '');
    [server, repository] = [await serverProcess(), await gitRepository()];
    await repository.push({ ...(await linkedProject('')), 'src/slow.mjs': graphOf('v1', gates.path) });
    const created = await server.client.deployments.create({
      body: {
        name: 'drained',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES, drain_minutes: 60 },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    params = { deployment_id: created.id };
    first = await deployed(created.latest_revision_id);
  });
  after(async () => {
    await repository?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await gates?.[Symbol.asyncDispose]();
  });

  const ref = (id: string) => ({ params: { ...params, revision_id: id } });
  async function deployed(id: string | null | undefined): Promise<string> {
    const { revisions } = server.client;
    await waitForRevision(revisions, ref(id ?? '').params, {
      signal: AbortSignal.timeout(50_000 * patience),
    });
    return id ?? '';
  }
  async function push(files: Record<string, string>): Promise<string> {
    await repository.push(files);
    const { latest_revision_id } = await server.client.deployments.update({
      params,
      body: { source_revision_config: {} },
    });
    return deployed(latest_revision_id);
  }
  const deploy = (version: string) => push({ 'src/slow.mjs': graphOf(version, gates.path) });
  async function sdk(): Promise<LangGraphClient> {
    const apiUrl = await eventually(
      'the deployment is served',
      async () => (await server.client.deployments.get({ params })).source_config.custom_url || undefined,
      Boolean,
    );
    return new LangGraphClient({ apiUrl, apiKey: server.apiKey });
  }
  /** Starts a run, and waits until its first node has run and its second one waits. */
  async function begin(gate: string) {
    const { threads, runs } = await sdk();
    const { thread_id } = await threads.create();
    const { run_id } = await runs.create(thread_id, 'slow', { input: { gate } });
    await eventually(
      'the first node has run',
      async () => (await threads.getState<{ seen: string[] }>(thread_id)).values.seen?.length,
      (length) => length === 1,
    );
    const read = async () => Reflect.get(await (await sdk()).runs.get(thread_id, run_id), 'revision_id');
    return { thread_id, run_id, readRevision: read };
  }
  const open = (gate: string) => writeFile(path.join(gates.path, gate), '');
  const seenBy = async (run: { thread_id: string; run_id: string }) => {
    const { threads, runs } = await sdk();
    await runs.join(run.thread_id, run.run_id);
    return (await threads.getState<{ seen: string[] }>(run.thread_id)).values.seen;
  };
  const drainingOf = async (id: string) => (await server.client.revisions.get(ref(id))).draining;
  const logOf = async (id: string) => {
    const { logs } = await server.client.deploymentLogs.deploy({
      params: ref(id).params,
      body: { order: 'asc', limit: 1_000 },
    });
    return logs.map(({ message }) => message).join('\n');
  };
  const hasDrained = (id: string) =>
    eventually('it has drained', async () => (await drainingOf(id)) === undefined);

  it('finishes the runs that started on it, even after a crash; others use the new one', async () => {
    const { runs, threads } = await sdk();
    const old = await begin('1');
    assert.equal(await old.readRevision(), first);
    const queued = await runs.create(old.thread_id, 'slow', {
      input: { gate: 'open' },
      multitaskStrategy: 'enqueue',
    });
    const second = await deploy('v2');
    assert.equal((await server.client.revisions.get(ref(first))).status, 'DEPLOYED');
    assert.equal((await drainingOf(first))?.runs, 1, 'the queued run has not begun');
    assert.equal(await drainingOf(second), undefined);
    const { thread_id } = await threads.create();
    const values = await runs.wait(thread_id, 'slow', { input: { gate: 'open' } });
    assert.deepEqual(Reflect.get(values, 'seen'), ['v2', 'v2']);

    await server.kill();
    await server.start();
    assert.equal((await drainingOf(first))?.runs, 1);
    await eventually(
      'the metrics say how many runs are left',
      async () => /^harbor_draining_runs (\d+)$/m.exec(await (await server.fetch('/metrics')).text())?.[1],
      (count) => count === '1',
    );
    await open('1');
    assert.deepEqual(await seenBy({ ...old, run_id: queued.run_id }), ['v1', 'v1', 'v2', 'v2']);
    assert.equal(await old.readRevision(), first);
    await hasDrained(first);
    assert.match(await logOf(first), /has drained: no run is left on it/);
  });

  it('is ended when its time is over, and its runs continue on the new one', async () => {
    const run = await begin('2');
    const before = await run.readRevision();
    await assert.rejects(push({ 'src/slow.mjs': 'throw new Error("no graph");' }), RevisionFailedError);
    assert.equal(await drainingOf(before), undefined, 'nothing has taken over');
    const now = await deploy('v3');
    assert.equal((await drainingOf(before))?.runs, 1);
    // An hour later.
    const database = new DatabaseSync(path.join(server.dataDir, 'state.db'), { timeout: 10_000 });
    database
      .prepare('update revisions set draining_until = ? where id = ? and draining_until is not null')
      .run(new Date().toISOString(), before);
    database.close();
    await hasDrained(before);
    assert.match(await logOf(before), /is over \(.*\)\. 1 unfinished run will continue/);
    const moved = `Run ${run.run_id} began on revision ${before}, which is no longer served, and continues on revision ${now}.`;
    await eventually('its run has moved', async () => (await logOf(now)).includes(moved));
    await open('2');
    assert.deepEqual(await seenBy(run), ['v2', 'v3']);
    assert.equal(await run.readRevision(), now);
  });

  it('whose build is lost hands its runs to the new revision, even if that deploys an earlier one again', async () => {
    const run = await begin('3');
    const before = await run.readRevision();
    const { latest_revision_id } = await server.client.revisions.redeploy(ref(first));
    const again = await deployed(latest_revision_id);
    await server.kill();
    const builds = path.join(server.dataDir, 'deployments', params.deployment_id, 'builds');
    for (const name of await readdir(builds)) {
      const text = await readFile(path.join(builds, name, 'src/slow.mjs'), 'utf8').catch(() => '');
      if (text.includes("'v3'")) await rm(path.join(builds, name), { recursive: true });
    }
    await server.start();
    await open('3');
    assert.deepEqual(await seenBy(run), ['v3', 'v1']);
    assert.equal(await run.readRevision(), again);
    assert.match(await logOf(again), new RegExp(`Revision ${before} could not be loaded again`));
    await hasDrained(before);
  });

  it('is ended on request, and its runs continue on the new one, also while the deployment is paused', async () => {
    const [run, other] = [await begin('cut'), await begin('ends')];
    const before = (await run.readRevision()) ?? '';
    const endDraining = () => server.client.controlPlane.draining.end(ref(before));
    await assert.rejects(endDraining(), /is not draining\. There is nothing to end\./);
    const now = await deploy('v5');
    assert.equal((await drainingOf(before))?.runs, 2);
    await server.client.controlPlane.pausing.pause({ params });
    await open('ends');
    assert.deepEqual(await seenBy(other), ['v1', 'v1'], 'a pause does not end what has started');
    const command = () => cli(['end-draining', 'drained', '--data-dir', server.dataDir]);
    assert.deepEqual(await command(), {
      code: 0,
      stdout: '',
      stderr: `Revision ${before} of 'drained' no longer drains. 1 run will continue on the live revision.\n`,
    });
    assert.equal(await drainingOf(before), undefined);
    assert.equal((await command()).stderr, "No revision of 'drained' is draining.\n");
    assert.match(await logOf(before), /was ended on request\. 1 unfinished run will continue/);
    const moved = `Run ${run.run_id} began on revision ${before}, which is no longer served, and continues on revision ${now}.`;
    await eventually('its run has moved', async () => (await logOf(now)).includes(moved));
    await server.client.controlPlane.pausing.resume({ params });
    await open('cut');
    assert.deepEqual(await seenBy(run), ['v1', 'v5']);
    await assert.rejects(endDraining(), /is not draining/);
  });

  it('does not outlive its deployment', async () => {
    const run = await begin('4');
    await deploy('v4');
    assert.equal((await drainingOf(await run.readRevision()))?.runs, 1);
    await server.client.deployments.delete({ params, query: {} });
    await eventually(
      'no process is left',
      () => server.children(),
      (children) => children.length === 0,
    );
  });
});
