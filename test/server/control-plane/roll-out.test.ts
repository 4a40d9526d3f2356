import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { RevisionFailedError, waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { followRevision } from '../../../src/deploy/follow-revision.ts';
import { projectRoot } from '../../support/cache.ts';
import { LINK_PACKAGES, linkedProject } from '../../support/control-plane/example-files.ts';
import { gitRepository } from '../../support/control-plane/git-repository.ts';
import { serverProcess } from '../../support/control-plane/server-process.ts';
import { clientsOf } from '../../support/control-plane/steady-clients.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually, patience } from '../../support/wait.ts';

describe('a rollout', function () {
  this.timeout(60_000);

  it('loses no request', async () => {
    await using server = await serverProcess();
    await using repository = await gitRepository();
    await repository.push(await linkedProject('old'));
    const { deployments } = server.client;
    const created = await deployments.create({
      body: {
        name: 'busy',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: created.id };
    /** Waits for a revision. The parts of its log shown until then make up the whole log: no line twice, none missing. */
    const live = async (id: string | null | undefined) => {
      const ref = { ...params, revision_id: id ?? '' };
      const lines: string[] = [];
      const statuses: string[] = [];
      const show = {
        status: ({ status }: { status: string }) => statuses.push(status),
        line: ({ message }: { message: string }) => lines.push(message),
      };
      const isOver = new AbortController();
      const watching = watch(ref, isOver.signal);
      await followRevision(server.client, ref, show, AbortSignal.timeout(50_000 * patience));
      isOver.abort();
      const { deploymentStatuses, active } = await watching;
      assert.deepEqual(
        deploymentStatuses,
        ['UNUSED', 'READY'].filter((status) => deploymentStatuses.includes(status)),
      );
      assert.equal(deploymentStatuses.at(-1), 'READY');
      // The new one takes over once, directly from the previous one.
      assert.deepEqual(active, [...new Set(active)]);
      assert.ok(active.length <= 2 && active.at(-1) === ref.revision_id, `${active}`);
      const { logs } = await server.client.deploymentLogs.build({
        params: ref,
        body: { order: 'asc', limit: 1_000 },
      });
      assert.ok(lines.length > 3);
      assert.deepEqual(
        lines,
        logs.map(({ message }) => message),
      );
      const order = [
        'CREATING',
        'QUEUED',
        'AWAITING_BUILD',
        'BUILDING',
        'AWAITING_DEPLOY',
        'DEPLOYING',
        'DEPLOYED',
      ];
      assert.deepEqual(
        statuses,
        order.filter((status) => statuses.includes(status)),
      );
      assert.equal(statuses.at(-1), 'DEPLOYED');
    };
    /** The states of the deployment that a client sees until then: each value that differs from the one before. */
    const watch = async (ref: { deployment_id: string }, signal: AbortSignal) => {
      const deploymentStatuses: string[] = [];
      const active: (string | null | undefined)[] = [];
      // The states are read once more after the end.
      for (let isLast = false; !isLast; ) {
        isLast = signal.aborted;
        const { status, active_revision_id } = await deployments.get({ params: ref });
        if (status !== deploymentStatuses.at(-1)) deploymentStatuses.push(status);
        if (active.length === 0 || active_revision_id !== active.at(-1)) active.push(active_revision_id);
        await setTimeout(10);
      }
      return { deploymentStatuses, active };
    };
    await live(created.latest_revision_id);
    const apiUrl = (await deployments.get({ params })).source_config.custom_url ?? '';
    const callerOptions = { maxRetries: 0 };
    await using clients = clientsOf(new LangGraphClient({ apiUrl, apiKey: server.apiKey, callerOptions }), 3);
    await repository.push(await linkedProject('new'));
    const changed = await deployments.update({ params, body: { source_revision_config: {} } });
    await live(changed.latest_revision_id);
    const { answers, failures } = await clients.stop();
    assert.deepEqual(failures, []);
    assert.deepEqual(new Set(answers), new Set(['old', 'new']));
  });

  it('that servers interrupt is tried as often as any other, whatever happened to its build', async () => {
    await using server = await serverProcess();
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    const start = path.join(folder.path, 'start');
    await repository.push({
      ...(await linkedProject('hello')),
      'langgraph.json': JSON.stringify({
        graphs: { slow: './src/slow.mjs:graph', waits: './waits.mjs:graph' },
      }),
      'waits.mjs': `import { existsSync } from 'node:fs';
while (!existsSync(${JSON.stringify(start)})) await new Promise((resolve) => setTimeout(resolve, 50));
export { graph } from './src/slow.mjs';`,
    });
    const { id, latest_revision_id } = await server.client.deployments.create({
      body: {
        name: 'slow-to-start',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: id, revision_id: latest_revision_id ?? '' };
    const isDeploying = () =>
      eventually(
        'it is being rolled out',
        async () => (await server.client.revisions.get({ params })).status,
        (status) => status === 'DEPLOYING',
        60_000,
      );
    await isDeploying();
    await server.stop();
    const database = new DatabaseSync(path.join(server.dataDir, 'state.db'));
    const stored = () => database.prepare('select status, attempts from revisions').get();
    assert.deepEqual({ ...stored() }, { status: 'AWAITING_DEPLOY', attempts: 0 });
    // The row looks as if two servers had been killed during the build.
    database.exec("update revisions set status = 'AWAITING_BUILD', attempts = 2");
    await server.start();
    await isDeploying();
    await server.stop();
    assert.deepEqual({ ...stored() }, { status: 'AWAITING_DEPLOY', attempts: 0 });
    database.close();
    await writeFile(start, '');
    await server.start();
    const over = await waitForRevision(server.client.revisions, params, {
      signal: AbortSignal.timeout(50_000 * patience),
    });
    assert.equal(over.status, 'DEPLOYED');
  });

  it('fails if the app or auth does not load; the old revision then still answers, and requires its key', async () => {
    await using server = await serverProcess();
    await using repository = await gitRepository();
    const project = async (config: object, files: Record<string, string>) => ({
      ...(await linkedProject('hello')),
      'langgraph.json': JSON.stringify({ graphs: { slow: './src/slow.mjs:graph' }, ...config }),
      ...files,
    });
    const http = { app: './app.mjs:app' };
    await repository.push(await project({ http }, { 'app.mjs': APP_MJS }));
    const { deployments, revisions } = server.client;
    const created = await deployments.create({
      body: {
        name: 'with-app',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: created.id };
    const over = async (id: string | null | undefined) => {
      const ref = { ...params, revision_id: id ?? '' };
      return waitForRevision(revisions, ref, { signal: AbortSignal.timeout(50_000 * patience) }).catch(
        (error) => {
          if (error instanceof RevisionFailedError) return error.revision;
          throw error;
        },
      );
    };
    assert.equal((await over(created.latest_revision_id)).status, 'DEPLOYED');
    const url = (await deployments.get({ params })).source_config.custom_url ?? '';
    const ask = (path: string, apiKey?: string) =>
      fetch(url + path, { headers: apiKey === undefined ? {} : { 'x-api-key': apiKey } });
    const answers = async () => {
      for (const path of ['/secret', '/nowhere', '/assistants/slow/graph'])
        assert.deepEqual(
          [path, (await ask(path)).status, (await ask(path, 'wrong')).status],
          [path, 401, 401],
        );
      assert.equal(await (await ask('/secret', server.apiKey)).text(), 'of the app');
    };
    await answers();

    const broken = [
      [
        'DEPLOY_FAILED',
        { http },
        { 'app.mjs': 'throw new Error("no app today");' },
        /http\.app.*no app today/s,
      ],
      [
        'DEPLOY_FAILED',
        { http, auth: { path: './auth.mjs:auth' } },
        { 'app.mjs': APP_MJS },
        /auth\.path.*auth\.mjs/s,
      ],
      [
        'BUILD_FAILED',
        // The file is not an env file; an error about it would reveal its contents.
        { http, env: path.join(projectRoot, 'package.json') },
        {},
        /'env' in langgraph\.json points outside the source/,
      ],
      [
        'BUILD_FAILED',
        { http, graphs: { slow: '../../../slow.mjs:graph' } },
        {},
        /'graphs\.slow' in langgraph\.json points outside the source/,
      ],
    ] as const;
    for (const [status, config, files, reason] of broken) {
      await repository.push(await project(config, files));
      const changed = await deployments.update({ params, body: { source_revision_config: {} } });
      const failed = await over(changed.latest_revision_id);
      assert.equal(failed.status, status);
      assert.match(failed.status_message ?? '', reason);
      assert.equal((await deployments.get({ params })).status, 'READY');
      await answers();
    }
  });
});

const APP_MJS = `
import { Hono } from '${import.meta.resolve('hono')}';
export const app = new Hono();
app.get('/secret', (c) => c.text('of the app'));`;
