import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Connections } from '../../src/extension/connections/connections.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';

/** VS Code's stores, in memory. */
function makeStores() {
  const values = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  const memento: vscode.Memento = {
    keys: () => [...values.keys()],
    get: (key: string, initial?: unknown) => values.get(key) ?? initial,
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
  const storage: vscode.SecretStorage = {
    keys: async () => [...secrets.keys()],
    get: async (key) => secrets.get(key),
    store: async (key, value) => void secrets.set(key, value),
    delete: async (key) => void secrets.delete(key),
    onDidChange: () => new vscode.Disposable(() => {}),
  };
  return { memento, secrets: storage };
}

describe('the connections of a window', () => {
  it('send no key after the user has signed in to an agent server without one', async () => {
    const log = vscode.window.createOutputChannel('connections test', { log: true });
    const local = new LocalConnection({
      ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
      ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
    });
    const connections = new Connections({ ...makeStores(), local, log, isWatched: () => false });
    // Nothing listens on this port.
    const url = 'http://127.0.0.1:9';
    const { id } = await connections.add({ kind: 'agent-server', label: 'docs', url }, { apiKey: 'old' });
    assert.deepEqual(await connections.readCredentials(id), { apiKey: 'old' });
    await connections.signIn(id, {});
    assert.deepEqual(await connections.readCredentials(id), {});
    connections.dispose();
    log.dispose();
  });
});
