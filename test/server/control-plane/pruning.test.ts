import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { RememberedTool } from '../../../src/containers/remembered-tool.ts';
import type { RevisionStatus } from '../../../src/contract/control-plane/revisions.ts';
import { Builder } from '../../../src/server/control-plane/builds/builder.ts';
import { CommandRunner } from '../../../src/server/control-plane/builds/command-runner.ts';
import { failedSourceKey } from '../../../src/server/control-plane/builds/deployment-folder.ts';
import { ImageBuilder } from '../../../src/server/control-plane/builds/image-builder.ts';
import { Uploads } from '../../../src/server/control-plane/builds/uploads.ts';
import { RevisionStore } from '../../../src/server/control-plane/data/revision-store.ts';
import { Pruning } from '../../../src/server/control-plane/revisions/pruning.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { LINK_PACKAGES, linkedProject, slowGraphFile } from '../../support/control-plane/example-files.ts';
import { serverProcess } from '../../support/control-plane/server-process.ts';
import { serverBundles } from '../../support/server-bundles.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DEPLOYMENT = '01900000-0000-7000-8000-000000000001';

/** A deployment in its own data folder, whose rows and files are created as needed. */
async function store() {
  await using cleanup = new AsyncDisposableStack();
  const { path: dataDir } = cleanup.use(await temporaryFolder());
  const db = cleanup.adopt(await openStateDatabase(dataDir), (open) => open.destroy());
  const { workspaceId } = await new Identity(db).findDefaultWorkspace();
  const at = new Date().toISOString();
  await db
    .insertInto('deployments')
    .values({
      id: DEPLOYMENT,
      workspace_id: workspaceId,
      name: 'pruned',
      source: 'internal_source',
      source_config: '{}',
      source_revision_config: '{}',
      status: 'READY',
      latest_revision_id: null,
      active_revision_id: null,
      port: null,
      config_path: null,
      secret_set_id: 'current',
      secret_references: null,
      sealed_key: null,
      sealed_webhook_secret: null,
      created_at: at,
      updated_at: at,
    })
    .execute();
  const runner = new CommandRunner((await serverBundles()).buildGuard);
  const images = new ImageBuilder(new RememberedTool({}), runner);
  const builder = new Builder({
    dataDir,
    runner,
    images,
    environment: {},
    installTimeoutMs: 1_000,
    isIsolated: () => false,
    openSandbox: () => Promise.reject(new Error('No build here is isolated.')),
  });
  const revisions = new RevisionStore(db);
  const uploads = new Uploads({ db, builder, baseUrl: () => '' });
  const folder = builder.folder(DEPLOYMENT);
  await folder.prepare();
  let minute = 0;
  const held = cleanup.move();
  return {
    dataDir,
    db,
    folder,
    pruning: new Pruning({ db, revisions, builder, uploads }),
    async revision(of: { status: RevisionStatus; build?: string; secrets?: string; tarball?: string }) {
      const { id } = await revisions.insert(db, {
        deploymentId: DEPLOYMENT,
        source: 'internal_source',
        sourceConfig: {},
        sourceRevisionConfig: { source_tarball_path: of.tarball },
        secretSetId: of.secrets ?? null,
        buildKey: of.build ?? null,
      });
      const created_at = new Date(Date.UTC(2026, 0, 1, 0, minute++)).toISOString();
      await db.updateTable('revisions').set({ status: of.status, created_at }).where('id', '=', id).execute();
      return id;
    },
    async build(key: string) {
      await mkdir(folder.build(key), { recursive: true });
      const finished_at = new Date().toISOString();
      const rest = {
        commit: null,
        changes: null,
        config_path: 'langgraph.json',
        installation_key: '',
        packages: [],
        python: null,
        made_in: null,
        is_movable: true,
        is_apart: false,
        machine: null,
        has_unbundled_ui: false,
      };
      await folder.finish({ key, finished_at, ...rest });
    },
    async upload(id: string, expiresInMs: number) {
      const expires_at = new Date(Date.now() + expiresInMs).toISOString();
      const row = { id, deployment_id: DEPLOYMENT, token_hash: id, expires_at, uploaded_at: expires_at };
      await db.insertInto('uploads').values(row).execute();
      await mkdir(path.dirname(folder.upload(id)), { recursive: true });
      await writeFile(folder.upload(id), 'a tarball');
    },
    async secrets(id: string) {
      const row = { id, deployment_id: DEPLOYMENT, names: '[]', sealed: new Uint8Array(), created_at: at };
      await db.insertInto('secret_sets').values(row).execute();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

describe('pruning of old revisions', () => {
  it('keeps only the latest builds that were or may be deployed', async () => {
    await using kept = await store();
    for (let count = 0; count < 7; count++) {
      await kept.build(`live${count}`);
      await kept.revision({ status: 'DEPLOYED', build: `live${count}` });
    }
    await kept.build('broken');
    await kept.revision({ status: 'DEPLOY_FAILED', build: 'broken' });
    await kept.build('coming');
    await kept.revision({ status: 'AWAITING_DEPLOY', build: 'coming' });
    await kept.pruning.prune(DEPLOYMENT);
    const left = (await kept.folder.listManifests()).map(({ key }) => key).sort();
    assert.deepEqual(left, ['coming', 'live3', 'live4', 'live5', 'live6']);
    assert.equal((await readdir(kept.folder.builds)).length, 2 * left.length);
  });

  it('keeps secrets as long as a revision can be rolled back to them', async () => {
    await using kept = await store();
    for (const id of ['current', 'of a build', 'of one that comes', 'of one that failed', 'of nobody']) {
      await kept.secrets(id);
    }
    await kept.revision({ status: 'DEPLOYED', build: 'b', secrets: 'of a build' });
    await kept.revision({ status: 'BUILD_FAILED', secrets: 'of one that failed' });
    await kept.revision({ status: 'AWAITING_BUILD', secrets: 'of one that comes' });
    await kept.pruning.prune(DEPLOYMENT);
    const left = await kept.db.selectFrom('secret_sets').select('id').orderBy('id').execute();
    assert.deepEqual(
      left.map(({ id }) => id),
      ['current', 'of a build', 'of one that comes'],
    );
  });

  it('deletes tarballs and upload URLs that are no longer needed', async () => {
    await using kept = await store();
    const [needed = '', left = '', fresh = ''] = [1, 2, 3].map(
      (id) => `0190000${id}-0000-7000-8000-000000000001`,
    );
    await kept.upload(needed, -1_000);
    await kept.upload(left, -1_000);
    await kept.upload(fresh, 60_000);
    await kept.revision({ status: 'DEPLOYED', build: 'b', tarball: `uploads/${needed}.tar.gz` });
    await kept.pruning.prune(DEPLOYMENT);
    const files = await readdir(path.dirname(kept.folder.upload('x')));
    assert.deepEqual(files.sort(), [`${needed}.tar.gz`, `${fresh}.tar.gz`]);
    assert.equal((await kept.db.selectFrom('uploads').select('id').execute()).length, 2);
  });

  it('keeps the sources of the latest revisions that failed to build', async () => {
    await using kept = await store();
    const tarball = '01900001-0000-7000-8000-000000000001';
    await kept.upload(tarball, -1_000);
    const ids: string[] = [];
    for (let count = 0; count < 7; count++)
      ids.push(await kept.revision({ status: 'BUILD_FAILED', tarball: `uploads/${tarball}.tar.gz` }));
    const sources = path.dirname(kept.folder.archive('x'));
    await mkdir(sources);
    for (const id of ids) await writeFile(kept.folder.archive(failedSourceKey(id)), 'a tarball');
    await kept.pruning.prune(DEPLOYMENT);
    const names = ids.slice(2).map((id) => path.basename(kept.folder.archive(failedSourceKey(id))));
    assert.deepEqual((await readdir(sources)).sort(), names.sort());
    assert.deepEqual(await readdir(path.dirname(kept.folder.upload('x'))), [`${tarball}.tar.gz`]);
  });

  it('keeps nothing of a deleted deployment', async () => {
    await using kept = await store();
    await mkdir(path.join(kept.dataDir, 'deployments', 'gone', 'builds'), { recursive: true });
    await kept.pruning.removeOrphans();
    assert.deepEqual(await readdir(path.join(kept.dataDir, 'deployments')), [DEPLOYMENT]);
  });
});

describe('rolling back to a revision whose build was deleted', function () {
  this.timeout(60_000);

  it('builds it again from the kept source', async () => {
    await using server = await serverProcess();
    await using folder = await temporaryFolder();
    const write = async (files: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
        await writeFile(path.join(folder.path, name), text);
      }
    };
    await write(await linkedProject('then'));
    const { deployments, revisions } = server.client;
    const created = await deployments.create({
      body: {
        name: 'a folder',
        source: 'workspace',
        source_config: { workspace_dir: folder.path, install_command: LINK_PACKAGES },
        source_revision_config: {},
      },
    });
    const params = { deployment_id: created.id };
    const wait = (id: string | null | undefined) =>
      waitForRevision(revisions, { ...params, revision_id: id ?? '' });
    const { id: then } = await wait(created.latest_revision_id);
    await write(slowGraphFile('now'));
    await wait(
      (await deployments.update({ params, body: { source_revision_config: {} } })).latest_revision_id,
    );
    const builds = path.join(server.dataDir, 'deployments', created.id, 'builds');
    for (const name of await readdir(builds)) await rm(path.join(builds, name), { recursive: true });
    const back = await revisions.redeploy({ params: { ...params, revision_id: then } });
    await wait(back.latest_revision_id);
    const apiUrl = (await deployments.get({ params })).source_config.custom_url ?? '';
    const values = await new LangGraphClient({ apiUrl, apiKey: server.apiKey }).runs.wait(null, 'slow', {
      input: { ticks: 1 },
    });
    assert.deepEqual(values, { ticks: 1, greeting: 'then' });
  });
});
