import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { prepare } from '../../src/extension/coding-agents/chat-tool.ts';
import { chooseVersion } from '../../src/extension/datasets/choose-version.ts';
import { exampleUri } from '../../src/extension/datasets/example-address.ts';
import { RunPanels } from '../../src/extension/panels/run/run-panels.ts';
import type { TreeElement } from '../../src/extension/views/tree.ts';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { pause } from '../../src/process/pause.ts';
import { describeProject } from '../../src/run-files/describe-project.ts';
import { makeRunFile } from '../../src/run-files/make-run-file.ts';
import { saveRunFile } from '../../src/run-files/run-file-on-disk.ts';
import { eventually } from '../support/wait.ts';
import { type AgentHarbor, agentHarbor, treeText } from './agent-harbor.ts';

describe('the extension in its host', function () {
  this.timeout(120_000);
  let harbor: AgentHarbor;
  let client: Awaited<ReturnType<AgentHarbor['serve']>>;

  before(async () => {
    harbor = await agentHarbor();
  });

  after(() => harbor?.end());

  it('does not start a server before one is needed', async () => {
    assert.equal(await treeText(harbor.api, 'deployments'), '');
    assert.equal(await treeText(harbor.api, 'traces'), '');
    assert.equal(await readServerFile(harbor.dataDir), undefined);
  });

  it('lists deployments with their graphs, and assistants by graph', async () => {
    client = await harbor.serve();
    assert.match(
      await treeText(harbor.api, 'deployments'),
      /^docs-agent · 1 graph\n {2}docs_agent · Answers/,
    );
    assert.match(
      await treeText(harbor.api, 'assistants'),
      /^docs_agent · default · version 1\n {2}Version 1 · active · [^\n]+$/,
    );
    // The new row is shown.
    const { deployments } = harbor.api.trees;
    await vscode.commands.executeCommand('agentHarbor.deployments.focus');
    await eventually(
      'the view',
      async () => deployments.isVisible,
      (isVisible) => isVisible,
    );
    const [row] = await deployments.getChildren();
    await deployments.reveal(`${row?.id}/graph:docs_agent`);
    assert.equal(deployments.selection[0]?.element.id, `${row?.id}/graph:docs_agent`);
  });

  it('shows the newest version of an assistant', async () => {
    const { assistant_id } = await client.assistants.create({
      body: { graph_id: 'docs_agent', name: 'brief' },
    });
    await client.assistants.update({ params: { assistant_id }, body: { context: { max_passages: 1 } } });
    assert.match(
      await treeText(harbor.api, 'assistants'),
      /\n {2}brief · version 2\n {4}Version 2 · active · [^\n]+\n {4}Version 1 · (?!active)/,
    );
    await client.assistants.delete({ params: { assistant_id } });
  });

  it('groups threads by status, newest first, twice as many with each Load More', async () => {
    for (const { thread_id = '' } of await client.threads.search({ body: { limit: 1000 } }))
      await client.threads.delete({ params: { thread_id } });
    for (let n = 0; n < 153; n++)
      await client.threads.create({ body: { metadata: { title: `thread ${n}` } } });
    const lines = (await treeText(harbor.api, 'threads', 2)).split('\n');
    assert.equal(lines[0], 'Idle · 153');
    assert.match(lines[1] ?? '', /^ {2}thread 152 · /);
    assert.equal(lines.length, 52);
    assert.equal(lines.at(-1), '  Load More · 103 left');

    const loadMore = async () => {
      const [group] = await harbor.api.trees.threads.getChildren();
      const more = (await harbor.api.trees.threads.getChildren(group)).at(-1);
      await vscode.commands.executeCommand('agentHarbor.loadMore', more);
    };
    await loadMore();
    assert.equal((await treeText(harbor.api, 'threads', 2)).split('\n').at(-1), '  Load More · 53 left');
    await loadMore();
    assert.match((await treeText(harbor.api, 'threads', 2)).split('\n').at(-1) ?? '', /^ {2}thread 0 · /);
  });

  it('lists the projects that ran last, and more of them with Load More', async () => {
    const projects = await Promise.all(
      Array.from({ length: 101 }, (_, n) =>
        client.tracing.sessions.create({ body: { name: `project ${n}` } }),
      ),
    );
    try {
      const { traces } = harbor.api.trees;
      const isProject = (row: TreeElement) => row.id.startsWith('project:');
      const rows = await traces.getChildren();
      assert.equal(rows.filter(isProject).length, 100);
      const more = rows.at(-1);
      assert.equal(more?.getTreeItem().label, 'Load More');
      await vscode.commands.executeCommand('agentHarbor.loadMore', more);
      const all = await traces.getChildren();
      assert.ok(all.length > 100 && all.every(isProject));
    } finally {
      for (const { id } of projects) await client.tracing.sessions.delete({ params: { session_id: id } });
    }
  });

  it('shows the states of a thread, and opens one as read-only JSON', async () => {
    const { thread_id } = await client.threads.create({ body: {} });
    const body = { assistant_id: 'docs_agent', input: { messages: 'What is a superstep?' } };
    await client.runs.wait({ params: { thread_id }, body });
    const { threads } = harbor.api.trees;
    const [group] = await threads.getChildren();
    const thread = (await threads.getChildren(group)).find(
      (row) => row.getTreeItem().label === 'What is a superstep?',
    );
    assert.ok(thread);
    const states = await threads.getChildren(thread);
    assert.deepEqual(
      states
        .map((state) => state.getTreeItem())
        .map(({ label, description }) => [label, description].filter(Boolean).join(' · ')),
      [
        'answer · step 4',
        'judge · step 3 · next: answer',
        'retrieve · step 2 · next: judge',
        'plan · step 1 · next: retrieve',
        'start · step 0 · next: plan',
        'What is a superstep?',
      ],
    );
    await vscode.commands.executeCommand('agentHarbor.openState', states[1]);
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    assert.equal(editor.document.uri.scheme, 'agent-harbor');
    assert.equal(editor.document.languageId, 'json');
    assert.deepEqual(JSON.parse(editor.document.getText()).next, ['answer']);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'x')).then(undefined, () => false);
    assert.equal(editor.document.isDirty, false);
  });

  it('shows a thread in a second panel beside the first', async () => {
    const { threads } = harbor.api.trees;
    const [group] = await threads.getChildren();
    const [thread] = await threads.getChildren(group);
    await vscode.commands.executeCommand('agentHarbor.openThread', thread);
    const tabs = () =>
      vscode.window.tabGroups.all.map(({ tabs }) =>
        tabs.flatMap(({ input }) => (input instanceof vscode.TabInputWebview ? [input.viewType] : [])),
      );
    const isRun = (types: readonly string[]) =>
      types.length === 1 && /agentHarbor\.run$/.test(types[0] ?? '');
    await eventually('a panel', tabs, (groups) => groups.length === 1 && groups.every(isRun));
    const split = async () => {
      // The command splits the active panel, and this one may not be active yet.
      if (tabs().length === 1) await vscode.commands.executeCommand('agentHarbor.splitRunPanel');
      return tabs();
    };
    await eventually('a second one', split, (groups) => groups.length >= 2 && groups.every(isRun));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('distinguishes threads that ask for input from those that a breakpoint has paused', async () => {
    const run = async (question: string, interrupt_before: string[], metadata = {}) => {
      const { thread_id } = await client.threads.create({ body: { metadata } });
      const body = { assistant_id: 'docs_agent', input: { messages: question }, interrupt_before };
      await client.runs.wait({ params: { thread_id }, body });
      return thread_id;
    };
    const threads = [
      await run('Can I purge traces on Mars?', []),
      // The metadata is like that of a project's own authentication, which records the creator of a thread.
      await run('What is a checkpoint?', ['judge'], { owner: 'ada' }),
    ];
    const lines = (await treeText(harbor.api, 'threads', 2)).split('\n');
    assert.equal(lines[0], 'Waiting · 2');
    assert.deepEqual(harbor.api.trees.threads.badge, { value: 2, tooltip: '2 threads are waiting' });
    assert.match(lines[1] ?? '', /^ {2}What is a checkpoint\? · docs_agent · Paused · /);
    assert.match(lines[2] ?? '', /^ {2}Can I purge traces on Mars\? · docs_agent · Waiting for input · /);
    const [group] = await harbor.api.trees.threads.getChildren();
    const [paused, asking] = await harbor.api.trees.threads.getChildren(group);
    const tooltipOf = (row: typeof paused) => String(row?.getTreeItem().tooltip);
    assert.match(tooltipOf(paused), / · Paused · owned by ada · [0-9a-f-]{36}$/);
    assert.match(tooltipOf(asking), / · Waiting for input · [0-9a-f-]{36}$/);
    assert.match(
      paused?.getTreeItem().accessibilityInformation?.label ?? '',
      /^thread What is a checkpoint\? · Paused · docs_agent · (?!Paused)/,
    );
    for (const thread_id of threads) await client.threads.delete({ params: { thread_id } });
    await treeText(harbor.api, 'threads', 1);
    assert.equal(harbor.api.trees.threads.badge, undefined);
  });

  it('shows the run of a trace as a tree', async () => {
    const parts = [
      /^What is a superstep\? · docs_agent · [\d.]+ m?s · \d+ tokens/,
      /\n {4}plan[^\n]*\n {6}ExtractiveChatModel/,
      /\n {4}retrieve[^\n]*\n {6}search_docs/,
    ];
    await eventually(
      'the whole trace',
      () => treeText(harbor.api, 'traces', 4),
      (text) => {
        const [project, ...traces] = text.split(/\n {2}(?! )/);
        return (
          /^docs-agent/.test(project ?? '') && traces.some((trace) => parts.every((part) => part.test(trace)))
        );
      },
      20_000,
    );
  });

  it('shows a canceled trace as canceled, not as failed', async () => {
    const started = (error: string) => ({
      ...{ id: randomUUID(), name: error, run_type: 'chain' as const, session_name: 'canceled', error },
      ...{ start_time: new Date().toISOString(), end_time: new Date().toISOString() },
    });
    for (const error of ['AbortError: This operation was aborted', 'Error: no such table'])
      await client.tracing.runs.create({ body: started(error) });
    const { traces } = harbor.api.trees;
    const rows = await eventually(
      'the traces',
      async () => {
        const project = (await traces.getChildren()).find((row) => row.getTreeItem().label === 'canceled');
        return project === undefined ? [] : traces.getChildren(project);
      },
      ({ length }) => length === 2,
    );
    const icons = rows
      .map((row) => row.getTreeItem())
      .map(({ label, iconPath }) => [label, iconOf(iconPath)]);
    assert.deepEqual(Object.fromEntries(icons), {
      'AbortError: This operation was aborted': ['circle-slash', 'disabledForeground'],
      'Error: no such table': ['error', 'problemsErrorIcon.foreground'],
    });
  });

  it('copies the IDs of rows', async () => {
    const { assistants } = harbor.api.trees;
    const [assistant] = await assistants.getChildren();
    await vscode.commands.executeCommand('agentHarbor.copyId', assistant);
    assert.match(await vscode.env.clipboard.readText(), /^[0-9a-f-]{36}$/);
  });

  it('lets no one call the agent without the key, once the setting requires it', async () => {
    const [deployment] = await harbor.api.trees.deployments.getChildren();
    await vscode.commands.executeCommand('agentHarbor.copyApiKey', deployment);
    const apiKey = await vscode.env.clipboard.readText();
    const url = client.connection.deploymentUrl;
    const statusOf = async (headers: Record<string, string>) =>
      (
        await fetch(`${url}/threads/count`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{}',
        })
      ).status;
    const settings = vscode.workspace.getConfiguration('agentHarbor');
    assert.equal(await statusOf({}), 200);
    await settings.update('requireKey', true, vscode.ConfigurationTarget.Global);
    try {
      await eventually(
        'it asks for the key',
        () => statusOf({}),
        (status) => status === 401,
      );
      assert.equal(await statusOf({ 'x-api-key': apiKey }), 200);
      assert.match(await treeText(harbor.api, 'assistants'), /^docs_agent/);
    } finally {
      await settings.update('requireKey', undefined, vscode.ConfigurationTarget.Global);
    }
    await eventually(
      'it asks for none',
      () => statusOf({}),
      (status) => status === 200,
    );
  });

  it('says that the file of an example is gone when its dataset was deleted', async () => {
    const { id: dataset_id } = await client.datasets.create({ body: { name: 'soon gone' } });
    const { id: exampleId } = await client.examples.create({ body: { dataset_id, inputs: { a: 1 } } });
    const uri = exampleUri({ connection: 'local', exampleId }, 'soon gone', 'a');
    assert.equal(JSON.parse((await vscode.workspace.fs.readFile(uri)).toString()).inputs.a, 1);
    await client.datasets.delete({ params: { dataset_id } });
    for (const read of [vscode.workspace.fs.stat, vscode.workspace.fs.readFile])
      await assert.rejects(Promise.resolve(read(uri)), { code: 'FileNotFound' });
  });

  it('says which file a dataset and its examples come from', async () => {
    const metadata = { agent_harbor_file: 'evals/basics.dataset.jsonl' };
    const made = await client.datasets.create({ body: { name: 'of a file', metadata } });
    const other = await client.datasets.create({ body: { name: 'made here' } });
    const exampleOf = ({ id: dataset_id }: { readonly id: string }) =>
      client.examples.create({ body: { dataset_id, inputs: { a: 1 } } });
    const [example, plain] = [await exampleOf(made), await exampleOf(other)];
    await vscode.commands.executeCommand('agentHarbor.refresh');
    const rows = await treeText(harbor.api, 'traces', 4);
    assert.match(rows, /^ *of a file · evals\/basics\.dataset\.jsonl · 1 example/m);
    assert.match(rows, /^ *made here · 1 example/m);

    const lensesOf = async (exampleId: string) => {
      const uri = exampleUri({ connection: 'local', exampleId }, 'dataset', 'a');
      await vscode.workspace.openTextDocument(uri);
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri,
      );
      return lenses.map(({ command }) => command);
    };
    const [lens] = await lensesOf(example.id);
    assert.equal(
      lens?.title,
      '$(go-to-file) Open in File (evals/basics.dataset.jsonl overwrites this example when it is evaluated)',
    );
    assert.equal(lens.command, 'agentHarbor.openDatasetFile');
    assert.deepEqual(lens.arguments, [{ file: 'evals/basics.dataset.jsonl', inputs: { a: 1 } }]);
    assert.deepEqual(await lensesOf(plain.id), []);
    for (const { id: dataset_id } of [made, other]) await client.datasets.delete({ params: { dataset_id } });
  });

  it('shows the versions of a dataset before it knows how they differ', async () => {
    const dataset = await client.datasets.create({ body: { name: 'of versions' } });
    for (const a of [1, 2]) await client.examples.create({ body: { dataset_id: dataset.id, inputs: { a } } });
    const held = Promise.withResolvers<void>();
    const diffs: unknown[] = [];
    const diff: typeof client.datasets.diff = async (request, options) => {
      diffs.push(request);
      await held.promise;
      return client.datasets.diff(request, options);
    };
    const slow = { ...client, datasets: { ...client.datasets, diff } };
    const chosen = chooseVersion(slow, dataset, 'Select a version');
    const late = await eventually(
      'a version to be accepted',
      async () => {
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        return Promise.race([chosen, pause(100, {}).then(() => 'not yet')]);
      },
      (outcome) => outcome !== 'not yet',
    );
    assert.notEqual(late, undefined);
    // Diffs are made one at a time, and none after a choice.
    assert.equal(diffs.length, 1);
    held.resolve();
    await client.datasets.delete({ params: { dataset_id: dataset.id } });
  });

  it('keeps a draft whose assistant changes elsewhere, and does not overwrite that change unasked', async () => {
    const made = { graph_id: 'docs_agent', name: 'drafted', description: 'first' };
    const { assistant_id } = await client.assistants.create({ body: made });
    const params = { assistant_id };
    const rows = await harbor.api.trees.assistants.getChildren();
    const inner = await Promise.all(rows.map((row) => harbor.api.trees.assistants.getChildren(row)));
    const row = [...rows, ...inner.flat()].find((one) => one.getTreeItem().label === 'drafted');
    await vscode.commands.executeCommand('agentHarbor.editAssistant', row);
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor !== undefined);
    const { document } = editor;
    assert.match(document.getText(), /"description": "first"/);
    const replace = async (from: string, to: string): Promise<void> => {
      const start = document.positionAt(document.getText().indexOf(from));
      const range = new vscode.Range(start, start.translate(0, from.length));
      await editor.edit((edit) => edit.replace(range, to));
    };
    const stored = async () => (await vscode.workspace.fs.readFile(document.uri)).toString();

    // In a browser, the workbench saves by itself.
    await vscode.workspace.getConfiguration('files').update('autoSave', 'afterDelay', true);
    await replace('first', 'mine');
    await eventually(
      'the draft',
      async () => document.isDirty,
      (isDirty) => !isDirty,
    );
    await client.assistants.update({ params, body: { description: 'other' } });
    assert.match(await stored(), /"description": "mine"/);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    const titles = lenses.map(({ command }) => command?.title);
    assert.ok(
      titles.includes('$(warning) The assistant has changed since this draft was started'),
      titles.join(),
    );
    assert.match(document.getText(), /"description": "mine"/);

    await vscode.commands.executeCommand('workbench.action.files.save');
    await eventually(
      'the conflict',
      async () => document.isDirty,
      (isDirty) => isDirty,
    );
    assert.equal((await client.assistants.get({ params })).description, 'other');
    assert.match(document.getText(), /"description": "mine"/);
    assert.match(await stored(), /"description": "other"/, 'what VS Code compares with');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.getConfiguration('files').update('autoSave', undefined, true);
    await client.assistants.delete({ params });
  });

  it('closes a panel whose state it cannot read, instead of showing something else', async () => {
    const panel = vscode.window.createWebviewPanel('agentHarbor.run', 'Old', vscode.ViewColumn.Active);
    let isClosed = false;
    panel.onDidDispose(() => {
      isClosed = true;
    });
    const unused = (): never => assert.fail('the extension gets no request');
    const parts = new Proxy({}, { get: unused });
    // @ts-expect-error: none of its parts may be touched.
    await new RunPanels(parts).deserializeWebviewPanel(panel, { version: 99, target: 'elsewhere' });
    assert.equal(isClosed, true);
  });

  it('leaves no debug session behind when one is disconnected while it attaches', async () => {
    const adapters = { begun: 0, ended: 0 };
    const disconnect = (session: vscode.DebugSession): void => {
      if (session.parentSession?.type === 'agent-harbor')
        void vscode.debug.stopDebugging(session.parentSession);
    };
    const tracking = vscode.debug.registerDebugAdapterTrackerFactory('pwa-node', {
      createDebugAdapterTracker: (session) => {
        adapters.begun += 1;
        // The session has not started yet, so VS Code could not stop it.
        disconnect(session);
        const onWillStopSession = (): void => {
          adapters.ended += 1;
        };
        return { onWillStopSession };
      },
    });
    try {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      const configuration = { type: 'agent-harbor', request: 'attach', name: 'LangGraph' };
      await vscode.debug.startDebugging(folder, configuration);
      await eventually(
        'the debugger of its process to end',
        () => adapters,
        ({ begun, ended }) => begun > 0 && ended === begun,
        30_000,
      );
      await eventually('no session', () => vscode.debug.activeDebugSession === undefined);
    } finally {
      tracking.dispose();
    }
  });

  it('lets a paused run continue when the debugger is disconnected', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const source = vscode.Uri.joinPath(folder.uri, 'src', 'nodes', 'plan.ts');
    const lines = (await vscode.workspace.openTextDocument(source)).getText().split('\n');
    const line = lines.findIndex((text) => text.includes('await '));
    assert.ok(line > 0);
    const breakpoint = new vscode.SourceBreakpoint(new vscode.Location(source, new vscode.Position(line, 0)));
    vscode.debug.addBreakpoints([breakpoint]);
    try {
      await vscode.debug.startDebugging(folder, {
        type: 'agent-harbor',
        request: 'attach',
        name: 'LangGraph',
      });
      const { thread_id } = await client.threads.create({ body: {} });
      const params = { thread_id };
      const body = { assistant_id: 'docs_agent', input: { messages: 'What is a superstep?' } };
      await client.runs.create({ params, body });
      await eventually(
        'the line that holds it',
        () => vscode.debug.activeStackItem instanceof vscode.DebugStackFrame,
        Boolean,
        30_000,
      );
      assert.equal((await client.threads.get({ params })).status, 'busy');
      await vscode.debug.stopDebugging();
      await eventually(
        'the run to end',
        async () => (await client.threads.get({ params })).status === 'idle',
      );
      await eventually('no session', () => vscode.debug.activeDebugSession === undefined);
      await client.threads.delete({ params });
    } finally {
      vscode.debug.removeBreakpoints([breakpoint]);
    }
  });

  it('offers chats tools for reading traces, threads and graphs and for proving, as the setting allows', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const call = async (name: string, input: object): Promise<Record<string, unknown>> => {
      const { content } = await vscode.lm.invokeTool(`agentHarbor_${name}`, {
        input,
        toolInvocationToken: undefined,
      });
      const [part] = content;
      assert.ok(part instanceof vscode.LanguageModelTextPart);
      return JSON.parse(part.value);
    };
    const { thread_id } = await client.threads.create({ body: {} });
    const params = { thread_id };
    const input = { messages: 'What is a superstep?' };
    const { run_id } = await client.runs.create({
      params,
      body: { assistant_id: 'docs_agent', input, record: true },
    });
    await client.runs.join({ params: { thread_id, run_id } });
    const file = `${run_id}.agentrun`;
    const saved = vscode.Uri.joinPath(folder.uri, file).fsPath;
    try {
      await eventually('the trace', async () => JSON.stringify(await call('trace', {})).includes(run_id));
      assert.match(JSON.stringify(await call('trace', { trace_id: run_id })), /"name":"plan"/);
      assert.deepEqual((await call('thread', { thread_id })).next, []);
      assert.match(
        JSON.stringify(await call('graph', { graph: 'docs_agent' })),
        /\{"name":"plan","place":"src\/nodes\/plan\.ts:\d+"\}/,
      );
      const project = await describeProject(vscode.Uri.joinPath(folder.uri, 'langgraph.json').fsPath, {});
      const ref = { threadId: thread_id, runId: run_id, graphId: 'docs_agent' };
      await saveRunFile(saved, makeRunFile(client, ref, { project, signal: AbortSignal.timeout(60_000) }));
      // In extension tests, VS Code confirms dialogs instead of showing them.
      const { verdict, proved } = await call('prove', { file });
      assert.deepEqual([verdict, proved], ['unchanged', false]);
      const settings = vscode.workspace.getConfiguration();
      for (const [allowed, refused] of [
        ['reads', 'graph'],
        ['off', 'trace'],
      ] as const) {
        await settings.update('agentHarbor.codingAgents', allowed, vscode.ConfigurationTarget.Global);
        await assert.rejects(call(refused, {}), /agentHarbor\.codingAgents does not allow this/);
      }
    } finally {
      await vscode.workspace
        .getConfiguration()
        .update('agentHarbor.codingAgents', undefined, vscode.ConfigurationTarget.Global);
      await rm(saved, { force: true });
      await client.threads.delete({ params });
    }
  });

  it('asks before a chat tool runs code, and says what is sent', () => {
    assert.equal(prepare('agentHarbor_trace', {}).confirmationMessages, undefined);
    assert.deepEqual(prepare('agentHarbor_prove', { file: 'a.agentrun' }).confirmationMessages, {
      title: 'Run a.agentrun on the current code?',
      message: 'The graph runs again with the recorded answers. Nothing is sent.',
    });
    assert.match(
      String(
        prepare('agentHarbor_prove', { file: 'a.agentrun', allow_new: true }).confirmationMessages?.message,
      ),
      /are sent to models and tools/,
    );
  });

  it('stops the server when asked to, and says so in its views', async () => {
    await vscode.commands.executeCommand('agentHarbor.stopServer');
    assert.equal(await treeText(harbor.api, 'deployments'), '');
    await eventually('its file to be gone', async () => (await readServerFile(harbor.dataDir)) === undefined);
  });
});

function iconOf(icon: vscode.TreeItem['iconPath']): readonly unknown[] {
  return icon instanceof vscode.ThemeIcon ? [icon.id, icon.color?.id] : [];
}
