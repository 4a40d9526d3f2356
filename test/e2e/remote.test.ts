import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { smallProject } from '../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import { installLine } from '../support/projects.ts';
import { eventually, patience } from '../support/wait.ts';
import type { View } from '../support/workbench/view.ts';
import type { Workbench } from '../support/workbench/workbench.ts';
import { HarborWindow } from './pages/harbor-window.ts';

/** A key of the remote platform that opens two workspaces. */
interface TeamKey {
  readonly id: string;
  readonly key: string;
}

describe('a remote platform', function () {
  this.timeout(240_000);
  let server: ServerProcess;
  let proxy: FaultProxy;
  let repository: GitRepository;
  let window: HarborWindow;
  let workbench: Workbench;
  let deployments: View;
  /** The selected workspace, in addition to the one that every server has. */
  let team: { readonly id: string };
  let key: TeamKey;
  /** The name of the connection. */
  let host: string;

  before(async () => {
    server = await serverProcess();
    proxy = await faultProxy(server.baseUrl);
    host = new URL(proxy.url).host;
    const [first] = await server.client.identity.listWorkspaces();
    team = await server.client.identity.createWorkspace({ body: { display_name: 'Team' } });
    key = await makeKey([first?.id ?? '', team.id]);
    repository = await gitRepository();
    await repository.push({ ...(await smallProject('first')), '.gitignore': 'node_modules\n.env\n' });
    await repository.git('remote', 'set-url', 'origin', repository.url);
    await writeFile(path.join(repository.workDir, '.env'), 'A_SECRET=hush\nB_SECRET=hush\nPORT=1\n');
    const installed = await installLine('langgraph-1.7');
    const modules = path.join(repository.workDir, 'node_modules');
    await symlink(path.join(installed, 'node_modules'), modules, 'junction');
    window = await HarborWindow.open({
      folder: repository.workDir,
      size: { width: 1280, height: 1000 },
      // Times without an offset would be more than five hours old there.
      env: { TZ: 'Asia/Kolkata' },
    });
    workbench = window.workbench;
    await window.openViews('slow');
    deployments = await workbench.view('Deployments');
  });

  after(async () => {
    await window?.close();
    await repository?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  afterEach(function () {
    return workbench.afterTest(this.currentTest);
  });

  async function makeKey(workspaces: readonly string[]): Promise<TeamKey> {
    return server.client.identity.createKey({
      body: {
        description: 'e2e',
        workspaces: [...workspaces],
        rights: ['trace', 'run', 'read', 'write', 'deploy'],
      },
    });
  }

  /** The contents of the platform's workspace. */
  async function held() {
    const response = await server.fetch('/v2/deployments', {
      headers: { 'x-api-key': key.key, 'x-tenant-id': team.id },
    });
    const { resources } = (await response.json()) as {
      resources: {
        id: string;
        name: string;
        latest_revision_id: string;
        active_revision_id: string;
        source_config: { custom_url: string };
      }[];
    };
    return resources;
  }

  /** Deletes deployments of an earlier attempt. */
  async function deleteHeld(): Promise<void> {
    const headers = { 'x-api-key': key.key, 'x-tenant-id': team.id };
    const earlier = await held();
    for (const { id } of earlier) await server.fetch(`/v2/deployments/${id}`, { method: 'DELETE', headers });
    if (earlier.length > 0) await deployments.titleAction('Refresh');
    await deployments.waitForText(/- No deployments yet/, 30_000);
  }

  /** Removes a connection, such as one of an earlier attempt. */
  async function removeConnection(name: string): Promise<void> {
    if (!new RegExp(`^[-▸▾] ${name}`, 'm').test(await deployments.text())) return;
    await deployments.contextMenuItem(name, 'Remove Connection…');
    await workbench.dialog.press('Remove');
    await deployments.waitForText((text) => !text.includes(name));
  }

  /** How many traces a project of the workspace of the platform has. */
  async function tracesOf(project: string): Promise<number> {
    const headers = { 'x-api-key': key.key, 'x-tenant-id': team.id };
    const found = await server.fetch(`/api/v1/sessions?name=${project}`, { headers });
    const session = ((await found.json()) as { id: string }[]).map(({ id }) => id);
    const body = { session, is_root: true };
    const response = await server.fetch('/api/v1/runs/query', { method: 'POST', headers, body });
    return ((await response.json()) as { runs: unknown[] }).runs.length;
  }

  /** Answers the sign-in with the key and the workspace Team. */
  async function signIn(apiKey: string): Promise<void> {
    const { quickInput } = workbench;
    await quickInput.waitFor(`Sign In to ${host}`);
    await quickInput.type(apiKey);
    await quickInput.accept();
    await quickInput.waitFor('Select a workspace. This key has access to several.');
    await quickInput.pick('Team');
  }

  it('is added by its URL, and stays signed out without a valid key', async () => {
    const { quickInput } = workbench;
    await removeConnection(host);
    await deployments.titleAction('Add Connection…');
    await quickInput.waitFor('Select a connection type');
    await quickInput.cancel();
    await deployments.titleAction('Add Connection…');
    await quickInput.pick('Self-Hosted');
    await quickInput.waitFor('https://agents.example.com');
    for (const [address, refusal] of [
      ['nonsense', /^Enter a URL such as/],
      ['http://agents.example.com', /^Use https\./],
    ] as const) {
      await quickInput.type(address);
      await quickInput.accept();
      await eventually(
        'the address to be refused',
        () => quickInput.state(),
        ({ message }) => refusal.test(message),
      );
    }
    await quickInput.type(`${proxy.url}/api-host`);
    await quickInput.accept();
    await quickInput.waitFor(`Sign In to ${host}`);
    await quickInput.type('lsv2_no_such_key');
    await quickInput.accept();
    await eventually(
      'the key to be refused',
      () => quickInput.state(),
      ({ message }) => message.includes('This API key is not valid.'),
    );
    await quickInput.cancel();
    await deployments.waitForText(new RegExp(`^- ${host} · signed out$`, 'm'));
    await workbench.screenshotInThemes('connection-signed-out');
  });

  it('is signed in to from its row, in one of the workspaces of the key', async () => {
    if (!(await deployments.text()).includes('signed out')) {
      // An earlier attempt has signed in.
      await deployments.contextMenuItem(host, 'Sign Out');
      await deployments.waitForText(/signed out/);
    }
    await deployments.click(host);
    await signIn(key.key);
    await deployments.waitForText(new RegExp(`^▾ ${host} · workspace Team\n {2}- No deployments yet$`, 'm'));
    assert.ok(proxy.seen.some((seen) => seen.startsWith('/api-host/v2/deployments')));
    assert.ok(proxy.seen.some((seen) => seen.startsWith('/api/v1/workspaces')));
  });

  it('is deployed to once all questions are answered and confirmed', async () => {
    const { quickInput, dialog, notifications } = workbench;
    const answerAll = async (): Promise<void> => {
      await deployments.inlineAction(host, 'Deploy…');
      await quickInput.waitFor(/^Deploy \(\d\/\d\)$/);
      await eventually(
        'the name',
        () => quickInput.state(),
        ({ value }) => value === 'work',
      );
      await quickInput.accept();
      await quickInput.waitFor('Select a deployment type (cannot be changed later)');
      await quickInput.pick('Development');
      await quickInput.waitFor('Select a source');
      await quickInput.pick('Upload the current folder');
      const { items } = await quickInput.waitFor('Select variables from .env to deploy (stored as secrets)');
      // Checked by default, unless an earlier attempt has cleared it.
      if (items.find(({ label }) => label === 'B_SECRET')?.checked !== false)
        await quickInput.pick('B_SECRET');
      await quickInput.accept();
      const asked = await dialog.waitFor(`Deploy work to ${host}?`);
      assert.deepEqual(asked.detail.split('\n').slice(1), [
        'Config: langgraph.json',
        `To: ${host}, new deployment “work” (dev)`,
        'Variables: A_SECRET',
        'Not included (set by the platform): PORT',
      ]);
      assert.match(asked.detail, new RegExp(`^Source: ${repository.workDir} \\([0-9a-f]{7}\\)\n`));
    };
    await deleteHeld();
    await answerAll();
    await workbench.screenshot('deploy-confirm-dark');
    await dialog.press('Cancel');
    assert.deepEqual(await held(), []);

    await answerAll();
    await dialog.press('Deploy');
    await notifications.waitFor(new RegExp(`^Deploying work to ${host}`));
    await notifications.waitFor(/building…|deploying…/, 60_000);
    await workbench.screenshot('deploy-progress-dark');
    await notifications.waitFor(`Deployed work to ${host}.`, 120_000);
    const [made] = await held();
    assert.equal(made?.name, 'work');
    assert.equal(made?.active_revision_id, made?.latest_revision_id);
    await deployments.waitForText(/^ {2}▸ work · live · dev$/m);
  });

  it('runs what was deployed, and shows its threads and traces', async () => {
    const deployed = `Deployed work to ${host}.`;
    const isOffered = (await workbench.notifications.all()).some(({ message }) => message === deployed);
    if (isOffered) await workbench.notifications.press(deployed, 'Run');
    // An earlier attempt has pressed it.
    else await deployments.inlineAction([host, 'work'], 'Run');
    const panel = await window.runPanel('slow');
    const input = panel.frame.getByRole('textbox', { name: 'Input as JSON' });
    await input.waitFor({ timeout: 60_000 * patience });
    await input.fill('{"ticks": 2}');
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Done');
    await workbench.runCommand('Agent Harbor: Debug');
    const reason =
      /^Only graphs in the open folder can be debugged. To step through this graph, run it and use Step/;
    await workbench.notifications.waitFor(reason);
    await workbench.screenshot('remote-debug');
    await workbench.notifications.press(reason, 'Run');
    assert.deepEqual(await workbench.editors.tabs(), ['slow']);

    // Running it has made it the current deployment.
    const threads = await workbench.view('Threads');
    await threads.waitForText(/^▾ Idle · \d\n {2}▸ /);
    const traces = await workbench.view('Traces');
    await traces.waitForText(
      /▾ work · (?:now|\d min ago)\n {2}▸ 2 · slow · [^\n]*(?:now|\d min ago)$/m,
      30_000,
    );
    await workbench.waitForStatus('work');
    await workbench.editors.closeAll();
  });

  it('is purged after an estimate and a typed name, and is checked again automatically', async () => {
    const { notifications, quickInput } = workbench;
    const traces = await workbench.view('Traces');
    const estimate = async (): Promise<void> => {
      await traces.contextMenuItem(['work'], 'Purge Traces…');
      await quickInput.waitFor('Select the traces of work to purge');
      await quickInput.pick('All traces of work');
      const { items } = await quickInput.waitFor('Purge Traces (1/2): Preview');
      assert.equal(items[0]?.label, 'Purge 1 trace…');
      assert.equal(
        items[0]?.detail,
        'These traces were found with a query, because this platform does not support dry runs.',
      );
      await quickInput.pick('Purge 1 trace…');
      await quickInput.waitFor('Purge Traces (2/2): Confirm 1 trace');
    };
    await estimate();
    await quickInput.cancel();
    assert.equal(await tracesOf('work'), 1);

    await estimate();
    await quickInput.type('work');
    await quickInput.accept();
    await notifications.waitFor(new RegExp(`^${host} queued the deletion and does not report when`), 20_000);
    await notifications.dismissAll();
    await traces.waitForText(/^▾ Purges · 1\n {2}- work · (1 queued · requested|none found · checked) /);
    await traces.waitForText(/^▾ Purges · 1\n {2}- work · none found · checked /, 40_000);
    assert.equal(await tracesOf('work'), 0);
  });

  it('is deployed to again in one step, and rolled back', async () => {
    const { dialog, notifications } = workbench;
    const [before] = await held();
    await workbench.runCommand('Agent Harbor: Deploy Again');
    await notifications.waitFor(`Deployed work to ${host}.`, 120_000);
    await notifications.dismissAll();
    const [second] = await held();
    assert.notEqual(second?.active_revision_id, before?.active_revision_id);

    await deployments.expand([host, 'work']);
    await deployments.waitForText(
      /▾ work · current · live · dev\n {4}- Revision 3 · live · [^\n]*\n {4}- Revision 2 · deployed · /,
    );
    await workbench.screenshotInThemes('deployments');
    await deployments.contextMenuItem([host, 'work'], 'Roll Back…');
    await dialog.waitFor(`Roll back work on ${host}?`);
    await dialog.press('Cancel');
    assert.equal((await held())[0]?.latest_revision_id, second?.latest_revision_id);
    await deployments.contextMenuItem([host, 'work'], 'Roll Back…');
    await dialog.waitFor(`Roll back work on ${host}?`);
    await dialog.press('Roll Back');
    await notifications.waitFor(/^Rolled back work to revision \d+\./, 120_000);
    await notifications.dismissAll();
    await deployments.waitForText(/ {4}- Revision 4 · live · /);
  });

  it('shows the logs of builds and of deployments', async () => {
    await deployments.contextMenuItem([host, 'work'], 'Show Build Log');
    const output = () => workbench.page.locator('.part.panel .output-view').innerText();
    await eventually('the build log', output, (text) => /Built.in.[\s\S]*End.of.log/.test(text));
    await deployments.inlineAction([host, 'work'], 'Show Deployment Log');
    await eventually('the log', output, (text) => /is.deployed/.test(text) && !/Built.in/.test(text));
  });

  it('says that it is offline, and reconnects automatically', async () => {
    await proxy.disconnect();
    await deployments.titleAction('Refresh');
    await deployments.waitForText(new RegExp(`^- ${host} · offline · workspace Team$`, 'm'), 30_000);
    const threads = await workbench.view('Threads');
    await threads.waitForWelcome('The platform of the current deployment cannot be reached.');
    await workbench.screenshotInThemes('connection-offline');
    await proxy.reconnect();
    await deployments.waitForText(
      new RegExp(`^▾ ${host} · workspace Team\n {2}[▸▾] work · current · live`, 'm'),
      30_000,
    );
    await threads.waitForText(/^▾ Idle · \d/);
  });

  it('tolerates late and failed responses', async () => {
    proxy.inject({ kind: 'none' });
    proxy.inject({ kind: 'slow', ms: 2_000 }, (path) => path.includes('/v2/deployments'));
    await deployments.titleAction('Refresh');
    await deployments.waitForText(/[▸▾] work · current · live/, 20_000);
    proxy.inject({ kind: 'failing', status: 500 }, (path) => path.includes('/v2/deployments'));
    await deployments.titleAction('Refresh');
    await deployments.waitForText(/Injected\./, 20_000);
    proxy.inject({ kind: 'none' });
    await deployments.titleAction('Refresh');
    await deployments.waitForText(/[▸▾] work · current · live/, 20_000);
  });

  it('says that a key was revoked, and accepts another one', async () => {
    await server.client.identity.revokeKey({ params: { api_key_id: key.id } });
    await deployments.titleAction('Refresh');
    await deployments.waitForText(new RegExp(`^- ${host} · key not accepted · workspace Team$`, 'm'), 20_000);
    const threads = await workbench.view('Threads');
    await threads.waitForWelcome('Your API key is no longer accepted');
    const [first] = await server.client.identity.listWorkspaces();
    key = await makeKey([first?.id ?? '', team.id]);
    await threads.clickWelcome('Sign In');
    await signIn(key.key);
    await deployments.waitForText(
      new RegExp(`^▾ ${host} · workspace Team\n {2}[▸▾] work · current · live`, 'm'),
      20_000,
    );
  });

  it('works without its control plane, as an Agent Server connection', async () => {
    const { quickInput } = workbench;
    const [deployment] = await held();
    const url = deployment?.source_config.custom_url ?? '';
    const bare = new URL(url).host;
    for (const left of [bare, 'bare agent']) await removeConnection(left);
    await workbench.runCommand('Agent Harbor: Add Connection…');
    await quickInput.pick('Agent Server');
    await quickInput.waitFor('http://127.0.0.1:2024');
    await quickInput.type(url);
    await quickInput.accept();
    await quickInput.waitFor(/^API key/);
    await quickInput.type('wrong');
    await quickInput.accept();
    await quickInput.waitFor('None');
    await quickInput.accept();
    await eventually(
      'the key to be refused',
      () => quickInput.state(),
      ({ message }) => message !== '' && !message.startsWith('Headers'),
    );
    await quickInput.press('Back');
    await quickInput.waitFor(/^API key/);
    await quickInput.type(key.key);
    await quickInput.accept();
    await quickInput.waitFor('None');
    await quickInput.type('nonsense');
    await quickInput.accept();
    await eventually(
      'the header to be refused',
      () => quickInput.state(),
      ({ message }) => message.includes('“nonsense” is not a valid header'),
    );
    await quickInput.type('X-Team: e2e');
    await quickInput.accept();
    await deployments.waitForText(new RegExp(`^- ${bare}$`, 'm'), 20_000);
    await deployments.contextMenuItem(bare, 'Rename Connection…');
    await quickInput.waitFor('Rename Connection');
    await quickInput.type('bare agent');
    await quickInput.accept();
    await deployments.waitForText(/^- bare agent$/m);
    await deployments.contextMenuItem('bare agent', 'Select Deployment');
    await deployments.waitForText(/^- bare agent · current$/m);
    await (await workbench.view('Threads')).waitForText(/^▾ Idle · \d/);
    await (await workbench.view('Traces')).waitForWelcome('Agent Server connections do not provide traces');
    await deployments.contextMenuItem('bare agent', 'Sign Out');
    await deployments.waitForText(/^- bare agent · signed out/m);
    const items = await deployments.contextMenu('bare agent');
    assert.ok(items.includes('Sign In…') && !items.includes('Sign Out'), items.join());
    await removeConnection('bare agent');
    await (await workbench.view('Assistants')).waitForText(/^▸ slow/);
  });

  it('deletes a deployment after confirmation, and is removed', async () => {
    const { dialog, quickInput } = workbench;
    const [deployment] = await held();
    await deployments.contextMenuItem([host, 'work'], 'Delete Deployment…');
    const { detail } = await dialog.waitFor(`Delete the deployment “work” on ${host}?`);
    assert.match(detail, /^This permanently deletes its revisions, assistants, and \d+ threads?\.$/m);
    const { port } = new URL(deployment?.source_config.custom_url ?? '');
    assert.ok(detail.includes(`${proxy.url}/agents/${port} will no longer respond.`), detail);
    await dialog.press('Cancel');
    assert.equal((await held()).length, 1);
    await deployments.contextMenuItem([host, 'work'], 'Delete Deployment…');
    await dialog.waitFor(`Delete the deployment “work” on ${host}?`);
    await dialog.press('Delete');
    await quickInput.waitFor('Delete Deployment');
    await quickInput.type('wrk');
    await quickInput.accept();
    await eventually(
      'the name to be refused',
      () => quickInput.state(),
      ({ message }) => message.startsWith('The name does not match work.'),
    );
    assert.equal((await held()).length, 1);
    await quickInput.type('work');
    await quickInput.accept();
    await deployments.waitForText(/- No deployments yet/, 30_000);
    assert.deepEqual(await held(), []);

    await deployments.contextMenuItem(host, 'Remove Connection…');
    await dialog.waitFor(`Remove the connection to ${host}?`);
    await dialog.press('Remove');
    await deployments.waitForText((text) => !text.includes(host));
  });

  it('has caused no error on the console except the one that was shown', () =>
    assert.deepEqual(workbench.problems(), [
      'Only graphs in the open folder can be debugged. To step through this graph, run it and use Step to stop after each superstep.',
    ]));
});
