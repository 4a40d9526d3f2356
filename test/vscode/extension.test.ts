import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { RunPanels } from '../../src/extension/panels/run/run-panels.ts';
import { readServerFile } from '../../src/launcher/server-file.ts';
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

  it('starts no server before somebody wants one', async () => {
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

  it('groups threads by status, newest first, a page at a time', async () => {
    for (const { thread_id = '' } of await client.threads.search({ body: { limit: 1000 } }))
      await client.threads.delete({ params: { thread_id } });
    for (let n = 0; n < 53; n++)
      await client.threads.create({ body: { metadata: { title: `thread ${n}` } } });
    const lines = (await treeText(harbor.api, 'threads', 2)).split('\n');
    assert.equal(lines[0], 'Idle · 53');
    assert.match(lines[1] ?? '', /^ {2}thread 52 · /);
    assert.equal(lines.length, 52);
    assert.equal(lines.at(-1), '  Load More · 3 left');

    const [group] = await harbor.api.trees.threads.getChildren();
    const more = (await harbor.api.trees.threads.getChildren(group)).at(-1);
    await vscode.commands.executeCommand('agentHarbor.loadMore', more);
    assert.match((await treeText(harbor.api, 'threads', 2)).split('\n').at(-1) ?? '', /^ {2}thread 0 · /);
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

  it('shows the run of a trace as a tree', async () => {
    const parts = [
      /^docs-agent[^\n]*\n {2}What is a superstep\? · docs_agent · [\d.]+ m?s · \d+ tokens/,
      /\n {4}plan[^\n]*\n {6}ExtractiveChatModel/,
      /\n {4}retrieve[^\n]*\n {6}search_docs/,
    ];
    await eventually(
      'the whole trace',
      () => treeText(harbor.api, 'traces', 4),
      (text) => parts.every((part) => part.test(text)),
      20_000,
    );
  });

  it('copies the IDs of rows', async () => {
    const { assistants } = harbor.api.trees;
    const [assistant] = await assistants.getChildren();
    await vscode.commands.executeCommand('agentHarbor.copyId', assistant);
    assert.match(await vscode.env.clipboard.readText(), /^[0-9a-f-]{36}$/);
  });

  it('lets nobody without the key call the agent, once the setting says so', async () => {
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

  it('closes a panel whose state it cannot read, instead of showing something else', async () => {
    const panel = vscode.window.createWebviewPanel('agentHarbor.run', 'Old', vscode.ViewColumn.Active);
    let isClosed = false;
    panel.onDidDispose(() => {
      isClosed = true;
    });
    const unused = (): never => assert.fail('nothing is asked of the extension');
    const parts = new Proxy({}, { get: unused });
    // @ts-expect-error: none of its parts may be touched.
    await new RunPanels(parts).deserializeWebviewPanel(panel, { version: 99, target: 'elsewhere' });
    assert.equal(isClosed, true);
  });

  it('stops the server when asked to, and says so in its views', async () => {
    await vscode.commands.executeCommand('agentHarbor.stopServer');
    assert.equal(await treeText(harbor.api, 'deployments'), '');
    await eventually('its file to be gone', async () => (await readServerFile(harbor.dataDir)) === undefined);
  });
});
