import assert from 'node:assert/strict';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { LINK_PACKAGES, linkedProject } from '../support/control-plane/example-files.ts';
import { gitRepository } from '../support/control-plane/git-repository.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { type PlatformNode, type PlatformTeam, platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { patience } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';

describe('two windows on two servers of a team', function () {
  this.timeout(240_000);
  const cleanup = new AsyncDisposableStack();
  let team: PlatformTeam;
  let here: HarborWindow;
  let elsewhere: HarborWindow;
  let rowElsewhere: readonly string[];
  let rowHere: readonly string[];

  before(async function () {
    const postgres: Postgres = cleanup.use(await requirePostgres(this));
    const objects = cleanup.use(await temporaryFolder()).path;
    const urlOf = (port: number) => `http://127.0.0.1:${port}`;
    team = platformTeam({ database: await postgres.createDatabase(), objects, urlOf });
    const one = cleanup.use(await team.start());
    const other = cleanup.use(await team.start());
    const deployed = deploy(one, other);
    [here, elsewhere] = await Promise.all([HarborWindow.open({}), HarborWindow.open({})]);
    await deployed;
    rowHere = await connect(here, one);
    rowElsewhere = await connect(elsewhere, other);
  });
  after(async () => {
    await Promise.all([here?.close(), elsewhere?.close()]);
    await cleanup.disposeAsync();
  });
  afterEach(async function () {
    await here?.workbench.afterTest(this.currentTest);
    await elsewhere?.workbench.afterTest(this.currentTest);
  });

  async function deploy({ client }: PlatformNode, other: PlatformNode): Promise<void> {
    const repository = cleanup.use(await gitRepository());
    await repository.push(await linkedProject('hello'));
    const { id, latest_revision_id } = await client.deployments.create({
      body: {
        name: 'slow',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: id, revision_id: latest_revision_id ?? '' };
    await waitForRevision(other.client.revisions, params);
  }

  /** Adds a server as a connection, and selects its deployment. @returns the row of the deployment */
  async function connect({ workbench }: HarborWindow, { url }: PlatformNode): Promise<readonly string[]> {
    const { quickInput } = workbench;
    const { host } = new URL(url);
    await workbench.openViewContainer('Agent Harbor');
    const deployments = await workbench.view('Deployments');
    await workbench.runCommand('Agent Harbor: Add Connection…');
    await quickInput.pick('Self-Hosted');
    await quickInput.waitFor('https://agents.example.com');
    await quickInput.type(url);
    await quickInput.accept();
    await quickInput.waitFor(`Sign In to ${host}`);
    await quickInput.type(team.key);
    await quickInput.accept();
    await deployments.waitForText(/^ {2}▸ slow · live/m, 30_000);
    await deployments.contextMenuItem([host, 'slow'], 'Select Deployment');
    await deployments.waitForText(/^ {2}[▸▾] slow · current/m);
    return [host, 'slow'];
  }

  it('show a run as it happens in the other one, in both directions', async () => {
    for (const [runs, row, watches] of [
      [here, rowHere, elsewhere],
      [elsewhere, rowElsewhere, here],
    ] as const) {
      await runs.workbench.editors.closeAll();
      await watches.workbench.editors.closeAll();
      await (await runs.workbench.view('Deployments')).inlineAction(row, 'Run');
      const panel = await runs.runPanel('slow');
      // The run would take longer than the test, and is canceled.
      await panel.json({ ticks: 3_000 });
      await panel.button('Run').click();
      const threads = await watches.workbench.view('Threads');
      await threads.waitForText(/^▾ Running · 1/m);
      const text = await threads.text();
      const name = /^▾ Running · 1\n {2}▸ ([^·]+?) ·/m.exec(text)?.[1];
      assert.ok(name !== undefined, text);
      await threads.click(['Running', name]);
      const shown = await watches.runPanel('slow');
      await shown.status.getByText('Running').waitFor();
      await panel.button('Cancel').click();
      assert.match(await shown.outcome(), /^Canceled/);
      // A panel requests nothing while it is only looked at, so it was notified.
      await panel.button('Continue').click();
      await shown.status.getByText('Running').waitFor({ timeout: 30_000 * patience });
      await panel.button('Cancel').click();
      await shown.status.getByText('Running').waitFor({ state: 'detached', timeout: 30_000 * patience });
      await threads.waitForText((rows) => !rows.includes('Running'));
    }
    assert.deepEqual([...here.workbench.problems(), ...elsewhere.workbench.problems()], []);
  });
});
