import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { addConnection } from '../../src/extension/connections/add-connection.ts';
import { Connections } from '../../src/extension/connections/connections.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import { RemoteConnection } from '../../src/extension/connections/remote.ts';
import { tryKey } from '../../src/extension/connections/sign-in.ts';
import { httpPeer, json } from '../support/http-peer.ts';

/** Nothing listens on this port. */
const DEAD_URL = 'http://127.0.0.1:9';

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

/**
 * Answers dialogs in order: with `back`, the label of an item, or a text.
 * @returns a function that stops answering
 */
function answerDialogs(answers: string[]): () => void {
  const { createQuickPick, createInputBox } = vscode.window;
  const dialog = () => {
    let accept = () => {};
    let press = (_button: vscode.QuickInputButton) => {};
    const none = () => new vscode.Disposable(() => {});
    const shown = {
      items: [] as vscode.QuickPickItem[],
      selectedItems: [] as vscode.QuickPickItem[],
      value: '',
      onDidAccept: (listener: typeof accept) => {
        accept = listener;
      },
      onDidTriggerButton: (listener: typeof press) => {
        press = listener;
      },
      ...{ onDidHide: none, onDidChangeValue: none, dispose: () => {} },
      show: () =>
        void setImmediate(() => {
          const answer = answers.shift() ?? assert.fail('Another question is asked.');
          if (answer === 'back') return press(vscode.QuickInputButtons.Back);
          shown.value = answer;
          shown.selectedItems = shown.items.filter(({ label }) => label === answer);
          accept();
        }),
    };
    return shown;
  };
  Object.assign(vscode.window, { createQuickPick: dialog, createInputBox: dialog });
  return () => Object.assign(vscode.window, { createQuickPick, createInputBox });
}

describe('the connections of a window', () => {
  let log: vscode.LogOutputChannel;
  let connections: Connections;

  before(() => {
    log = vscode.window.createOutputChannel('connections test', { log: true });
  });
  after(() => log.dispose());
  beforeEach(() => {
    const local = new LocalConnection({
      ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
      ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
    });
    connections = new Connections({ ...makeStores(), local, log, isWatched: () => false });
  });
  afterEach(() => connections.dispose());

  it('send no key after the user has signed in to an agent server without one', async () => {
    const { id } = await connections.add(
      { kind: 'agent-server', label: 'docs', url: DEAD_URL },
      { apiKey: 'old' },
    );
    assert.deepEqual(await connections.readCredentials(id), { apiKey: 'old' });
    await connections.signIn(id, {});
    assert.deepEqual(await connections.readCredentials(id), {});
  });

  it('keep the headers of an agent server whose key is forgotten', async () => {
    const headers = { 'x-tenant': 'acme' };
    const { id } = await connections.add(
      { kind: 'agent-server', label: 'docs', url: DEAD_URL },
      { apiKey: 'old', headers },
    );
    await connections.signOut(id);
    assert.deepEqual(await connections.readCredentials(id), { headers });
  });

  it('never send the key of an agent server to a platform that is chosen instead', async () => {
    const back = ['back', 'back', 'back'];
    const end = answerDialogs(['Agent Server', DEAD_URL, 'key of the server', ...back, 'Cloud US']);
    try {
      const added = await addConnection(connections);
      assert.equal(added?.stored.kind, 'us');
      assert.deepEqual(await connections.readCredentials(added.id), {});
    } finally {
      end();
    }
  });
});

describe('a remote connection', () => {
  it('is offline if the proxy in the settings cannot be used', async () => {
    const connection = new RemoteConnection({
      stored: { id: 'docs', kind: 'agent-server', label: 'docs', url: DEAD_URL },
      credentials: async () => ({}),
      network: () => ({ proxy: 'socks5://127.0.0.1:9' }),
      isWatched: () => false,
      log: () => {},
      stateEmitter: new vscode.EventEmitter(),
      changeEmitter: new vscode.EventEmitter(),
    });
    await assert.rejects(connection.connect(), /address of the proxy must begin with http/);
    assert.equal(connection.state.status, 'offline');
    connection.dispose();
  });
});

describe('a key that is tried', () => {
  const refusedWith = async (body: unknown) => {
    await using peer = await httpPeer((_, response) => json(response, 403, body));
    return await tryKey({ id: '', label: 'docs', kind: 'agent-server', url: peer.url }, { apiKey: 'wrong' });
  };

  it('is refused with 403 by a gateway, and needs no workspace', async () => {
    const { isRefused, needsWorkspace } = await refusedWith({ detail: 'Forbidden' });
    assert.deepEqual({ isRefused, needsWorkspace }, { isRefused: true, needsWorkspace: undefined });
  });

  it('needs a workspace if the platform says so', async () => {
    const check = await refusedWith({ error: 'org_scoped_key_requires_workspace' });
    assert.deepEqual(check, { needsWorkspace: true });
  });
});
