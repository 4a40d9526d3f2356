import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { compareStates } from '../../src/extension/commands/threads/compare-states.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import type { StateAddress } from '../../src/extension/documents/read-only-documents.ts';
import { STATE_SCHEME } from '../../src/extension/states/state-address.ts';
import { StateFiles } from '../../src/extension/states/state-files.ts';
import { MoreElement } from '../../src/extension/views/more.ts';
import { CheckpointElement, ThreadElement } from '../../src/extension/views/threads.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { type HttpPeer, httpPeer, json } from '../support/http-peer.ts';

const thread_id = '11111111-1111-4111-8111-111111111111';

/** The states of a thread, newest first; each was made from the one after it, the newest from the 120th. */
const states = Array.from({ length: 150 }, (_, n) => {
  const parent = n === 0 ? 120 : n + 1;
  return {
    ...{ values: {}, next: [`node${149 - n}`], tasks: [], created_at: null },
    metadata: { step: 149 - n, source: 'loop' },
    checkpoint: { checkpoint_id: `c${n}` },
    parent_checkpoint: n === 149 ? null : { checkpoint_id: `c${parent}` },
  };
});

describe('a thread with more than a hundred states', () => {
  const log = vscode.window.createOutputChannel('states', { log: true });
  let peer: HttpPeer;
  let thread: ThreadElement;
  before(async () => {
    peer = await httpPeer(({ url, body }, response) => {
      const id = /\/state\/(c\d+)/.exec(url)?.[1];
      if (id === undefined) json(response, 200, states.slice(0, JSON.parse(body).limit));
      else
        json(
          response,
          200,
          states.find(({ checkpoint }) => checkpoint.checkpoint_id === id),
        );
    });
    const connection = new LocalConnection({
      ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
      ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
    });
    const client = clientOf({ baseUrl: peer.url, apiKey: 'key' }, createDispatcher()).withDeployment(
      peer.url,
    );
    thread = new ThreadElement(
      { thread_id },
      { key: 'docs', name: 'docs', connection, client },
      {
        ...{ id: 'threads:idle', getTreeItem: () => new vscode.TreeItem('Idle') },
      },
      new Map(),
    );
  });
  after(async () => {
    log.dispose();
    await peer?.[Symbol.asyncDispose]();
  });

  /** The checkpoints and the title that Compare shows for a row. */
  async function compared(row: unknown) {
    const shown: (string | undefined)[] = [];
    const documents = {
      compareStates: async (before: StateAddress, after: StateAddress, title: string) => {
        shown.push(before.checkpointId, after.checkpointId, title);
      },
    };
    await compareStates({ documents }, row);
    return shown;
  }

  it('compares each with the one that it was made from, even if that is not listed', async () => {
    const rows = await thread.getChildren();
    assert.deepEqual(await compared(rows[5]), ['c6', 'c5', 'node142 (step 143) ↔ node143 (step 144)']);
    assert.deepEqual(await compared(rows[99]), ['c100', 'c99', 'Step 49 ↔ node49 (step 50)']);
    assert.deepEqual(await compared(rows[0]), ['c120', 'c0', 'Step 29 ↔ start (step 149)']);
  });

  it('shows all of them after Load More, and has nothing to compare the first with', async () => {
    const more = (await thread.getChildren()).at(-1);
    assert.ok(more instanceof MoreElement);
    more.load();
    const rows = await thread.getChildren();
    assert.equal(rows.length, 150);
    const first = rows.at(-1);
    assert.ok(first instanceof CheckpointElement);
    await assert.rejects(compared(first), { message: 'This is the first state of its thread.' });
  });
});

describe('a state that is saved as a document', () => {
  it('is not written twice if it cannot be read after it was written', async () => {
    const log = vscode.window.createOutputChannel('saved state', { log: true });
    const written: unknown[] = [];
    const state = (checkpoint_id: string) => ({
      ...{ values: { notes: [] }, next: [], tasks: [], created_at: null, metadata: {} },
      ...{ checkpoint: { checkpoint_id }, parent_checkpoint: null },
    });
    await using peer = await httpPeer(({ method, url, body }, response) => {
      if (method === 'POST') {
        written.push(JSON.parse(body).values);
        json(response, 200, {
          checkpoint: { thread_id, checkpoint_ns: '', checkpoint_id: 'c2' },
          configurable: {},
        });
      } else if (url.includes('/state/c1')) json(response, 200, state('c1'));
      else if (url.includes('/state')) json(response, 500, { detail: 'It cannot be read.' });
      else
        json(response, 200, {
          ...{ thread_id, metadata: {}, status: 'idle', values: {} },
          ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
        });
    });
    const connection = new LocalConnection({
      ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
      ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
    });
    const client = clientOf({ baseUrl: peer.url, apiKey: 'key' }, createDispatcher()).withDeployment(
      peer.url,
    );
    const files = new StateFiles({
      deployments: { open: async () => ({ key: 'docs', name: 'docs', connection, client }) },
      documents: { stateSchemaUrl: () => '' },
      drafts: { read: () => undefined, write: () => {} },
    });
    const query = new URLSearchParams({ deployment: 'docs', thread: thread_id, checkpoint: 'c1' }).toString();
    const uri = vscode.Uri.from({ scheme: STATE_SCHEME, path: '/docs/state.json', query });
    const save = (values: object) => files.write(uri, Buffer.from(JSON.stringify({ as_node: null, values })));
    await files.read(uri);
    await save({ notes: ['new'] });
    await save({ notes: ['new'] });
    assert.deepEqual(written, [{ notes: ['new'] }]);
    files.dispose();
    log.dispose();
  });
});
