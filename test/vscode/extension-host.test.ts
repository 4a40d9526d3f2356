import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension in a real extension host', () => {
  it('activates', async () => {
    const extension = vscode.extensions.getExtension('agent-harbor.agent-harbor');
    assert.ok(extension, 'it is installed');
    await extension.activate();
    assert.ok(extension.isActive);
  });

  it('finds what its server needs in VS Code’s own Node', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const { zstdCompressSync, zstdDecompressSync } = await import('node:zlib');
    const database = new DatabaseSync(':memory:');
    assert.deepEqual({ ...database.prepare('select 6 * 7 as answer').get() }, { answer: 42 });
    assert.equal(zstdDecompressSync(zstdCompressSync(Buffer.from('trace'))).toString(), 'trace');
  });

  it('registers every command that it contributes', async () => {
    const extension = vscode.extensions.getExtension<unknown>('agent-harbor.agent-harbor');
    assert.ok(extension);
    await extension.activate();
    const manifest: { contributes: { commands: { command: string }[] } } = extension.packageJSON;
    const contributed = manifest.contributes.commands.map(({ command }) => command);
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.ok(contributed.length > 0);
    assert.deepEqual(
      contributed.filter((command) => !registered.has(command)),
      [],
    );
  });
});
