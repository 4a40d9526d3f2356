import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';

describe('launch.json in a real extension host', function () {
  this.timeout(60_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-launch-'));
    await mkdir(path.join(folder, '.vscode'));
    await vscode.extensions.getExtension('agent-harbor.agent-harbor')?.activate();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The proposals at `|`. */
  async function proposed(type: string, rest: string): Promise<{ label: string; after: string }[]> {
    const marked = `{ // As VS Code writes it.
  "version": "0.2.0",
  "configurations": [{ "type": "${type}", "request": "attach", "name": "LangGraph", ${rest} }],
}`;
    const offset = marked.indexOf('|');
    const text = marked.replace('|', '');
    const file = vscode.Uri.file(path.join(folder, '.vscode', `launch.json`));
    await writeFile(file.fsPath, text);
    const document = await vscode.workspace.openTextDocument(file);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(file, new vscode.Range(0, 0, document.lineCount, 0), text);
    await vscode.workspace.applyEdit(edit);
    await document.save();
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      file,
      document.positionAt(offset),
    );
    return items
      .filter(({ detail }) => detail === vscode.workspace.workspaceFolders?.[0]?.name)
      .map(({ label, insertText, range }) => {
        assert.ok(range instanceof vscode.Range && typeof insertText === 'string');
        const [from, to] = [document.offsetAt(range.start), document.offsetAt(range.end)];
        const after = `${text.slice(0, from)}${insertText}${text.slice(to)}`;
        return { label: typeof label === 'string' ? label : label.label, after: after.split('\n')[2] ?? '' };
      });
  }

  const line = (rest: string) =>
    `  "configurations": [{ "type": "agent-harbor", "request": "attach", "name": "LangGraph", ${rest} }],`;

  it('proposes the graphs of the folder, even in place of another name', async () => {
    for (const rest of ['"graph": "|"', '"graph": |', '"graph": "do|cs"'])
      assert.deepEqual(await proposed('agent-harbor', rest), [
        { label: 'docs_agent', after: line('"graph": "docs_agent"') },
      ]);
  });

  it('proposes the langgraph.json files of the folder', async () => {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    const config = `\${workspaceFolder:${root?.name}}/langgraph.json`;
    assert.deepEqual(await proposed('agent-harbor', '"config": "|"'), [
      { label: config, after: line(`"config": "${config}"`) },
    ]);
  });

  it('proposes nothing for other debuggers and other keys', async () => {
    assert.deepEqual(await proposed('node', '"graph": "|"'), []);
    assert.deepEqual(await proposed('agent-harbor', '"program": "|"'), []);
  });
});
