import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { RevisionFailedError, waitForRevision } from '../../src/client/wait-for-revision.ts';
import { LINK_PACKAGES, linkedProject, npmLinkedProject } from '../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

/** Code that waits for a file, in a script of an installation or in a graph that is being loaded. */
const waitFor = (file: string) =>
  `import { existsSync } from 'node:fs';
while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 50));
`;

interface Gated extends AsyncDisposable {
  readonly repository: GitRepository;
  readonly installCommand: string | null;
  /** Lets installations, or the loading of graphs, continue. */
  open(gate: 'build' | 'deploy'): Promise<void>;
}

/**
 * A project whose installation and graphs wait until they are released.
 * @param installs the program that installs it: the deployment's own command, or npm, which runs that command
 * as a script.
 */
async function gatedProject(installs: 'command' | 'npm' = 'command'): Promise<Gated> {
  const gates = await temporaryFolder();
  const repository = await gitRepository();
  const gate = (name: string) => path.join(gates.path, name);
  const files = await (installs === 'npm' ? npmLinkedProject('through') : linkedProject('through'));
  await repository.push({
    ...files,
    'src/slow.mjs': waitFor(gate('deploy')) + (files['src/slow.mjs'] ?? ''),
    'install.mjs': waitFor(gate('build')) + (files['install.mjs'] ?? ''),
  });
  return {
    repository,
    installCommand: installs === 'npm' ? null : LINK_PACKAGES,
    open: (name) => writeFile(gate(name), ''),
    async [Symbol.asyncDispose]() {
      await repository[Symbol.asyncDispose]();
      await gates[Symbol.asyncDispose]();
    },
  };
}

/** How often `npm run soak` kills it at a random point. */
const KILLS = Number(process.env.FAULT_KILLS ?? 0);

describe('a server killed during a revision', function () {
  this.timeout(240_000);

  async function create(server: ServerProcess, project: Gated, name = 'gated') {
    const created = await server.client.deployments.create({
      body: {
        name,
        source: 'github',
        source_config: { repo_url: project.repository.url, install_command: project.installCommand },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    return { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
  }

  const reaches = (
    server: ServerProcess,
    params: { deployment_id: string; revision_id: string },
    status: string,
  ) =>
    eventually(
      `it is ${status}`,
      async () => (await server.client.revisions.get({ params })).status,
      (now) => now === status,
      60_000,
    );

  /** Kills the server, checks that nothing it started outlives it, and starts it again. */
  async function killAndStart(server: ServerProcess, meanwhile: () => void = () => {}): Promise<void> {
    await server.kill();
    await eventually('nothing it started is left', () => server.children().length === 0);
    meanwhile();
    await server.start();
  }

  async function comesThrough(
    server: ServerProcess,
    project: Gated,
    params: { deployment_id: string; revision_id: string },
  ): Promise<void> {
    await project.open('build');
    await project.open('deploy');
    await waitForRevision(server.client.revisions, params);
    const { source_config } = await server.client.deployments.get({ params });
    const sdk = new LangGraphClient({ apiUrl: source_config.custom_url ?? '', apiKey: server.apiKey });
    const values = await sdk.runs.wait(null, 'slow', { input: { ticks: 1 } });
    assert.deepEqual(values, { ticks: 1, greeting: 'through' });
  }

  it('continues a revision that is CREATING', async () => {
    await using server = await serverProcess();
    await using project = await gatedProject();
    const params = await create(server, project);
    await killAndStart(server);
    await comesThrough(server, project, params);
  });

  it('continues a revision that is AWAITING_BUILD', async () => {
    await using server = await serverProcess();
    await using project = await gatedProject();
    const others = [await create(server, project, 'other 1'), await create(server, project, 'other 2')];
    for (const other of others) await reaches(server, other, 'BUILDING');
    const params = await create(server, project);
    await reaches(server, params, 'AWAITING_BUILD');
    await killAndStart(server);
    await project.open('build');
    await project.open('deploy');
    for (const other of others) await waitForRevision(server.client.revisions, other);
    for (const other of others) await server.client.deployments.delete({ params: other });
    await comesThrough(server, project, params);
  });

  it('continues a revision that is QUEUED, and skips the previous one', async () => {
    await using server = await serverProcess();
    await using project = await gatedProject();
    const first = await create(server, project);
    await reaches(server, first, 'BUILDING');
    const changed = await server.client.deployments.update({
      params: first,
      body: { source_revision_config: {} },
    });
    const params = { ...first, revision_id: changed.latest_revision_id ?? '' };
    await reaches(server, params, 'QUEUED');
    await killAndStart(server);
    await reaches(server, first, 'SKIPPED');
    await comesThrough(server, project, params);
  });

  it('builds a revision again that is BUILDING', async () => {
    await using server = await serverProcess();
    await using project = await gatedProject('npm');
    const params = await create(server, project);
    await reaches(server, params, 'BUILDING');
    await eventually('its installation runs', () => server.children().length > 2);
    await killAndStart(server);
    await comesThrough(server, project, params);
  });

  it('deploys a revision that is AWAITING_DEPLOY', async () => {
    await using server = await serverProcess();
    await using project = await gatedProject();
    const params = await create(server, project);
    await project.open('build');
    await reaches(server, params, 'DEPLOYING');
    // That status is too short to aim at.
    await killAndStart(server, () => {
      const database = new DatabaseSync(path.join(server.dataDir, 'state.db'));
      database
        .prepare("UPDATE revisions SET status = 'AWAITING_DEPLOY', attempts = 0 WHERE id = ?")
        .run(params.revision_id);
      database.close();
    });
    await comesThrough(server, project, params);
  });

  it('resumes deploying a revision that was DEPLOYING', async () => {
    await using server = await serverProcess();
    await using project = await gatedProject();
    const params = await create(server, project);
    await project.open('build');
    await reaches(server, params, 'DEPLOYING');
    await killAndStart(server);
    await comesThrough(server, project, params);
  });

  it('serves a revision that is DEPLOYED again at its URL, and leaves nothing behind when it is deleted', async () => {
    await using server = await serverProcess();
    await using project = await gatedProject();
    const params = await create(server, project);
    await comesThrough(server, project, params);
    const before = await server.client.deployments.get({ params });
    await killAndStart(server);
    const after = await server.client.deployments.get({ params });
    assert.equal(after.source_config.custom_url, before.source_config.custom_url);
    const sdk = new LangGraphClient({ apiUrl: after.source_config.custom_url ?? '', apiKey: server.apiKey });
    const values = await sdk.runs.wait(null, 'slow', { input: { ticks: 1 } });
    assert.deepEqual(values, { ticks: 1, greeting: 'through' });
    await server.client.deployments.delete({ params });
    await eventually('nothing is left', () => server.children().length === 0);
  });

  it('fails a revision that is BUILDING for the third time, with the reason', async () => {
    await using server = await serverProcess();
    await using project = await gatedProject();
    const params = await create(server, project);
    for (let attempt = 0; attempt < 3; attempt++) {
      await reaches(server, params, 'BUILDING');
      await killAndStart(server);
    }
    await assert.rejects(waitForRevision(server.client.revisions, params), (error: unknown) => {
      assert.ok(error instanceof RevisionFailedError);
      assert.equal(error.revision.status, 'BUILD_FAILED');
      assert.match(error.message, /The server stopped 3 times/);
      return true;
    });
  });

  for (let round = 0; round < KILLS; round++) {
    it(`at a random point completes it after a restart (${round})`, async () => {
      await using server = await serverProcess();
      await using project = await gatedProject('npm');
      await project.open('build');
      await project.open('deploy');
      const params = await create(server, project);
      // Twice, which does not exceed the number of attempts of a step.
      for (let kill = 0; kill < 2; kill++) {
        await sleep(Math.random() * 2_500);
        await killAndStart(server);
      }
      await comesThrough(server, project, params);
      await server.client.deployments.delete({ params });
      await eventually('nothing is left', () => server.children().length === 0);
    });
  }
});
