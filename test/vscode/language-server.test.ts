import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { eventually } from '../support/wait.ts';

const folderOfWindow = () => {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder);
  return folder.uri;
};

/** Opens a langgraph.json; the server is ready once the file has lenses. */
async function openConfig(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  await eventually(
    'lenses',
    () => lensesOf(uri),
    (lenses) => lenses.length > 0,
    30_000,
  );
  return document;
}

async function lensesOf(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    uri,
  );
  return lenses.filter(({ command }) => command?.command === 'agentHarbor.run');
}

function problemsOf(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Agent Harbor');
}

describe('langgraph.json in a real extension host', function () {
  this.timeout(60_000);
  let config: vscode.Uri;

  before(async () => {
    config = vscode.Uri.joinPath(folderOfWindow(), 'langgraph.json');
    await openConfig(config);
  });

  it('has a lens that runs each graph, and one on its export in the source', async () => {
    const [lens] = await lensesOf(config);
    assert.equal(lens?.command?.title, '$(play) Run');
    assert.deepEqual(lens?.command?.arguments, [{ config_path: config.fsPath, graph_id: 'docs_agent' }]);
    const source = vscode.Uri.joinPath(folderOfWindow(), 'src/graph.ts');
    await vscode.workspace.openTextDocument(source);
    const titles = await eventually(
      'lenses',
      () => lensesOf(source),
      (lenses) => lenses.length > 0,
    );
    assert.deepEqual(
      titles.map(({ command }) => command?.title),
      ['$(play) Run docs_agent'],
    );
  });

  it('shows lenses unless the setting turns them off', async () => {
    const { ConfigurationTarget } = vscode;
    const settings = vscode.workspace.getConfiguration('agentHarbor');
    await settings.update('codeLens', false, ConfigurationTarget.Global);
    try {
      assert.deepEqual(await lensesOf(config), []);
    } finally {
      await settings.update('codeLens', undefined, ConfigurationTarget.Global);
    }
    assert.notDeepEqual(await lensesOf(config), []);
  });

  it('has no problems in the example', async () => {
    assert.deepEqual(
      problemsOf(config).map(({ message }) => message),
      [],
    );
  });

  it('completes and explains keys', async () => {
    const document = await vscode.workspace.openTextDocument(config);
    const inRoot = document.positionAt(document.getText().indexOf('"node_version"'));
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      config,
      inRoot,
    );
    assert.ok(items.some(({ label }) => label === 'dependencies'));
    // VS Code's own JSON support offers `$schema` in any JSON.
    assert.equal(items.filter(({ label }) => label === '$schema').length, 1);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      config,
      inRoot.translate(0, 3),
    );
    const texts = hovers.flatMap(({ contents }) =>
      contents.map((content) => (typeof content === 'string' ? content : content.value)),
    );
    assert.match(texts.join('\n'), /Node\\?\.js major version used for builds/);
  });

  it('leads from a graph to its export', async () => {
    const document = await vscode.workspace.openTextDocument(config);
    const links = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
      'vscode.executeDefinitionProvider',
      config,
      document.positionAt(document.getText().indexOf('graph.ts')),
    );
    const targets = links.map((link) => ('targetUri' in link ? link.targetUri : link.uri).path);
    assert.deepEqual(
      targets.map((target) => path.posix.basename(target)),
      ['graph.ts'],
    );
  });

  it('reports what is wrong only once, even though VS Code checks JSON, too, and fixes it', async () => {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'agent-harbor-config-')));
    try {
      const uri = vscode.Uri.file(path.join(folder, 'langgraph.json'));
      await writeFile(uri.fsPath, '{\n  "graphs": { "a": "./agnt.ts:graph" },\n  "node_vrsion": "22"\n}\n');
      await writeFile(path.join(folder, 'agent.ts'), 'export const graph = make();\n');
      const document = await openConfig(uri);
      const problems = await eventually(
        'problems',
        () => problemsOf(uri),
        ({ length }) => length === 2,
      );
      assert.deepEqual(vscode.languages.getDiagnostics(uri).length, problems.length);
      const [missing] = problems;
      assert.equal(missing?.message, 'File not found: ./agnt.ts. Did you mean ./agent.ts?');
      const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        uri,
        missing?.range ?? new vscode.Range(0, 0, 0, 0),
        vscode.CodeActionKind.QuickFix.value,
      );
      const fix = actions.find(({ title }) => title === "Change to './agent.ts'");
      assert.ok(fix?.edit);
      assert.ok(await vscode.workspace.applyEdit(fix.edit));
      assert.match(document.getText(), /"\.\/agent\.ts:graph"/);
      await eventually(
        'one problem left',
        () => problemsOf(uri),
        ({ length }) => length === 1,
      );
      await document.save();
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await rm(folder, { recursive: true, force: true });
    }
  });
});
