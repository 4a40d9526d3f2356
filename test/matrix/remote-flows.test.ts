/** The flows of the views and the run panel on a remote platform, in a window without a folder. */
import assert from 'node:assert/strict';
import { assistantFlows, REFUSED_SAVE } from '../e2e/flows/assistants.ts';
import { datasetFlows } from '../e2e/flows/datasets.ts';
import { Place } from '../e2e/flows/place.ts';
import { purgingFlows } from '../e2e/flows/purging.ts';
import { retentionFlows } from '../e2e/flows/retention.ts';
import { runPanelFlows } from '../e2e/flows/run-panel.ts';
import { threadFlows } from '../e2e/flows/threads.ts';
import { traceFlows } from '../e2e/flows/traces.ts';
import { HarborWindow } from '../e2e/pages/harbor-window.ts';
import type { RunPanelPage } from '../e2e/pages/run-panel-page.ts';
import { eventually } from '../support/wait.ts';
import type { View } from '../support/workbench/view.ts';
import { type RemoteExample, remoteExample } from './remote-example.ts';

describe('a platform somewhere else', function () {
  this.timeout(400_000);
  let remote: RemoteExample;
  let window: HarborWindow;
  let place: Place;
  let deployments: View;
  /** Lines that VS Code writes to its console when a platform fails. Any other line is our fault. */
  const expected = /Injected\.|Cannot reach|cannot be reached|connection|\b50\d\b|ERR_/;

  before(async () => {
    remote = await remoteExample();
    window = await HarborWindow.open({
      settings: {
        'files.autoSave': 'off',
        'editor.autoClosingQuotes': 'never',
        'editor.autoClosingBrackets': 'never',
      },
      size: { width: 1280, height: 1400 },
    });
    await window.workbench.openViewContainer('Agent Harbor');
    deployments = await window.workbench.view('Deployments');
  });

  after(async () => {
    await window?.close();
    await remote?.[Symbol.asyncDispose]();
  });

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  const nameOf = (url: string) => new URL(url).host;

  /** Adds a platform by its address, with the key and the workspace Team, and makes the example the current one. */
  async function connect(url: string): Promise<void> {
    const { workbench } = window;
    const { quickInput } = workbench;
    await workbench.runCommand('Agent Harbor: Add Connection…');
    await quickInput.pick('Self-Hosted');
    await quickInput.waitFor('https://agents.example.com');
    await quickInput.type(url);
    await quickInput.accept();
    await quickInput.waitFor(`Sign In to ${nameOf(url)}`);
    await quickInput.type(remote.apiKey);
    await quickInput.accept();
    await quickInput.waitFor('Select a workspace. This key has access to several.');
    await quickInput.pick('Team');
    await deployments.waitForText(new RegExp(`▾ ${nameOf(url)} · Team\\n {2}▸ docs-agent · live`), 30_000);
    await deployments.contextMenuItem([nameOf(url), 'docs-agent'], 'Select Deployment');
    await deployments.waitForText(new RegExp(`▾ ${nameOf(url)} · Team\\n {2}[▸▾] docs-agent · current`));
    const { client } = remote;
    place = await Place.open({ workbench, client, isRemote: true });
    await place.assistants.waitForText(/^▸ docs_agent · default/, 30_000);
  }

  async function openPanel(name = 'docs_agent'): Promise<RunPanelPage> {
    // A graph whose only assistant is its default one is one row.
    const isAlone = /^▸ docs_agent · default/.test(await place.assistants.text());
    await place.assistants.inlineAction(isAlone ? ['docs_agent'] : ['docs_agent', name], 'Run');
    return window.runPanel(name);
  }

  describe('behind a gateway with slow answers', () => {
    before(async () => {
      await connect(`${remote.gateway.url}/api-host`);
      for (const proxy of [remote.gateway, remote.agents]) proxy.inject({ kind: 'slow', ms: 150 });
    });
    after(() => {
      for (const proxy of [remote.gateway, remote.agents]) proxy.inject({ kind: 'none' });
    });

    describe('has rows', () => {
      it('whose commands work while they are read again', async () => {
        remote.agents.inject({ kind: 'slow', ms: 3_000 }, (asked) => asked.startsWith('/assistants'));
        await place.assistants.titleAction('Refresh');
        await place.assistants.contextMenuItem(['docs_agent'], 'Edit Assistant');
        await place.workbench.editors.waitForText('"name": "docs_agent"');
        assert.deepEqual(await window.workbench.notifications.all(), []);
        remote.agents.inject({ kind: 'slow', ms: 150 });
        await window.workbench.editors.closeAll();
      });
    });

    describe('has assistants', () => assistantFlows(() => place));
    describe('has threads', () => threadFlows(() => place));
    describe('has traces', () => traceFlows(() => place));
    describe('has datasets', () => datasetFlows(() => place));
    describe('has a run panel', () => runPanelFlows(() => ({ ...place, open: () => openPanel() })));

    it('runs graphs from the palette and the Threads view too, without a folder', async () => {
      const { workbench, threads } = place;
      const begin = [() => workbench.runCommand('Agent Harbor: Run'), () => threads.titleAction('Run')];
      for (const run of begin) {
        await run();
        const panel = await window.runPanel('docs_agent');
        await panel.frame.getByRole('textbox', { name: 'Message' }).waitFor();
        await workbench.editors.closeAll();
      }
    });

    describe('afterwards', () => {
      it('got requests only below /api-host and /api/v1, and for runs at the address of the deployment', () => {
        const { gateway, agents } = remote;
        assert.ok(
          gateway.seen.every((seen) => /^\/api-host\/v2\/|^\/api\/v1\//.test(seen)),
          gateway.seen.join(),
        );
        assert.ok(agents.seen.some((seen) => /^\/threads\/[^/]+\/runs\/stream/.test(seen)));
      });
    });
  });

  describe('whose answers fail', () => {
    /**
     * Actions while one kind of request fails. Each reports the failure once and leaves the window usable.
     */
    const failing: readonly {
      readonly what: string;
      readonly of: 'gateway' | 'agents';
      readonly path: RegExp;
      readonly act: () => Promise<void>;
    }[] = [
      {
        what: 'a new thread',
        of: 'agents',
        path: /^\/threads$/,
        act: async () => {
          await place.threads.titleAction('New Thread');
          await place.answerBox('New Thread', 'never made');
        },
      },
      {
        what: 'a purge that is to be estimated',
        of: 'gateway',
        path: /\/runs\/(?:stats|query)/,
        act: async () => {
          await place.traces.contextMenuItem(['docs-agent'], 'Purge Traces…');
          await window.workbench.quickInput.pick('All traces of docs-agent');
        },
      },
      {
        what: 'the datasets',
        of: 'gateway',
        path: /\/datasets/,
        act: () => place.traces.contextMenuItem(['docs-agent', 'What is a superstep?'], 'Add to Dataset…'),
      },
      {
        what: 'the retention',
        of: 'gateway',
        path: /\/ttl-settings/,
        act: () => window.workbench.runCommand('Agent Harbor: Set Trace Retention…'),
      },
      {
        what: 'a thread that is renamed',
        of: 'agents',
        path: /^\/threads\/[^/]+$/,
        act: async () => {
          await place.threads.contextMenuItem(['Idle', 'What is a thread?'], 'Rename Thread…');
          await place.answerBox('Rename Thread', 'never renamed');
        },
      },
    ];
    for (const { what, of, path, act } of failing) {
      it(`says so in one sentence: ${what}`, async () => {
        const { notifications, quickInput } = window.workbench;
        remote[of].inject({ kind: 'failing', status: 500 }, (asked) => path.test(asked));
        await act();
        const { severity, buttons } = await notifications.waitFor(/Injected\./, 40_000);
        assert.equal(severity, 'error');
        assert.ok(buttons.includes('Show Log'));
        assert.equal((await notifications.all()).length, 1);
        assert.equal(await quickInput.state(), undefined);
        remote[of].inject({ kind: 'none' });
        await notifications.dismissAll();
      });
    }

    it('says in the view what it could not read, and reads it when asked again', async () => {
      remote.agents.inject({ kind: 'failing', status: 500 }, (asked) => asked.startsWith('/threads'));
      await place.threads.titleAction('Refresh');
      await place.threads.waitForText(/Injected\./, 40_000);
      remote.agents.inject({ kind: 'none' });
      await place.threads.titleAction('Refresh');
      await place.threads.waitForText(/^▾ Idle · /, 20_000);
    });

    it('says in the run panel why nothing was started, and starts it when asked again', async () => {
      const panel = await openPanel();
      remote.agents.inject({ kind: 'failing', status: 500 }, (asked) => asked.endsWith('/runs/stream'));
      await panel.send('What is a span?');
      await panel.frame
        .getByText(/Injected\./)
        .first()
        .waitFor({ timeout: 40_000 });
      remote.agents.inject({ kind: 'none' });
      await panel.send('What is a span?');
      assert.equal(await panel.outcome(), 'Done');
      await window.workbench.editors.closeAll();
    });
  });

  describe('whose network is unstable', () => {
    it('resumes a run where its stream was cut, and says so until then', async () => {
      const body = { graph_id: 'docs_agent', name: 'slow', context: { token_delay_ms: 60 } };
      const { assistant_id } = await remote.client.assistants.create({ body });
      await place.assistants.titleAction('Refresh');
      await place.assistants.waitForText(/▸ slow/, 20_000);
      const panel = await openPanel('slow');
      await panel.send('How do I purge traces?');
      await eventually(
        'the first tokens',
        () => panel.answer(),
        (text) => text.length > 10,
        30_000,
      );
      await remote.agents.disconnect();
      await panel.frame
        .getByText(/Connection lost/)
        .first()
        .waitFor({ timeout: 40_000 });
      await window.workbench.screenshot('run-lost');
      await remote.agents.reconnect();
      assert.equal(await panel.outcome(), 'Done');
      assert.match(await panel.answer(), /\[docs\/[\w/-]+\.md#[\w-]+\]$/);
      await panel.frame.getByText(/Connection lost/).waitFor({ state: 'detached' });
      await remote.client.assistants.delete({ params: { assistant_id } });
      await window.workbench.editors.closeAll();
    });

    it('leaves a dialog that is open as it is, and says what failed when it is answered', async () => {
      const { notifications, quickInput } = window.workbench;
      await place.threads.titleAction('New Thread');
      await quickInput.waitFor('New Thread');
      await remote.agents.disconnect();
      await quickInput.type('not made');
      await quickInput.accept();
      const { severity } = await notifications.waitFor(/./, 60_000);
      assert.equal(severity, 'error');
      await remote.agents.reconnect();
      await notifications.dismissAll();
      await place.threads.titleAction('Refresh');
      await place.threads.waitForText(/^▾ Idle · /, 30_000);
    });
  });

  describe('that the user signs out of', () => {
    it('says so in every view, each with the way back', async () => {
      const host = nameOf(remote.gateway.url);
      await deployments.contextMenuItem(host, 'Sign Out');
      await deployments.waitForText(new RegExp(`^- ${host} · signed out`, 'm'));
      for (const view of [place.assistants, place.threads, place.traces]) {
        await eventually(
          `the next step in ${view.title}`,
          () => view.welcome(),
          (welcome) => /signed out/i.test(welcome) && welcome.includes('Sign In'),
        );
      }
      await window.workbench.screenshotInThemes('views-signed-out');
      await place.assistants.clickWelcome('Sign In');
      const { quickInput } = window.workbench;
      await quickInput.waitFor(`Sign In to ${host}`);
      await quickInput.type(remote.apiKey);
      await quickInput.accept();
      await quickInput.waitFor('Select a workspace. This key has access to several.');
      await quickInput.press('Back');
      await quickInput.waitFor(`Sign In to ${host}`);
      await quickInput.type(remote.apiKey);
      await quickInput.accept();
      await quickInput.pick('Team');
      await place.threads.waitForText(/^▾ Idle · /, 30_000);
    });
  });

  describe('that is an Agent Harbor server itself', () => {
    before(async () => {
      await connect(remote.server.baseUrl);
      // Rows of the other flows, because these flows count all rows.
      const { sessions } = remote.client.tracing;
      for (const { id } of await sessions.list({ query: { name: 'docs-agent' } }))
        await sessions.delete({ params: { session_id: id } });
      await place.ask('What is a thread?', { user: 'ada' });
      await place.ask('What is a superstep?', { user: 'bob' });
      await place.traces.titleAction('Refresh');
      await place.showsTraces(2);
    });

    describe('purges by dry run', () => purgingFlows(() => place));
    describe('keeps traces', () => retentionFlows(() => place));

    // In a separate group, because a test beside groups runs before them.
    describe('has jobs', () => {
      it('lists the jobs that it has not started', async () => {
        const { workbench, client, traces } = place;
        await place.ask('What is a job?');
        const at = new Date(Date.now() - 3_600_000);
        await client.purging.putSettings({
          body: { schedule: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`, timezone: 'UTC' },
        });
        await traces.contextMenuItem(['docs-agent'], 'Purge Traces…');
        await workbench.quickInput.pick('All traces of docs-agent');
        await workbench.quickInput.waitFor('Purge Traces (1/2): Preview');
        await workbench.quickInput.accept();
        await place.answerBox(/^Purge Traces \(2\/2\)/, 'docs-agent');
        await workbench.notifications.waitFor(
          /^The traces will be purged when the purge window opens: /,
          30_000,
        );
        await workbench.notifications.dismissAll();
        await traces.titleAction('Refresh');
        await traces.waitForText(/^▾ Purges · 1\n {2}- starts [^\n]+ · pending · /, 20_000);
        await workbench.screenshot('purges-remote');
      });
    });
  });

  describe('afterwards', () => {
    it('has caused no error on the console but those that were injected', () => {
      const others = window.workbench
        .problems()
        .filter((problem) => !expected.test(problem) && !REFUSED_SAVE.test(problem));
      assert.deepEqual(others, []);
    });
  });
});
