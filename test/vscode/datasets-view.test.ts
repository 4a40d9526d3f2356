import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import { DatasetChoices } from '../../src/extension/datasets/dataset-choices.ts';
import { readDatasets } from '../../src/extension/views/datasets.ts';
import { MoreElement } from '../../src/extension/views/more.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { type Answer, httpPeer, json } from '../support/http-peer.ts';

const TIME = '2026-01-01T00:00:00Z';

describe('the datasets of a platform', () => {
  const log = vscode.window.createOutputChannel('datasets', { log: true });
  const connection = new LocalConnection({
    ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
    ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
  });
  const datasets = Array.from({ length: 130 }, (_, n) => ({
    ...{ id: `${n}`, tenant_id: '', name: `dataset ${n}`, created_at: TIME, modified_at: TIME },
  }));
  const listed: Answer = ({ url }, response) => {
    const query = new URL(url, 'http://platform').searchParams;
    const offset = Number(query.get('offset') ?? 0);
    json(response, 200, datasets.slice(offset, offset + Number(query.get('limit'))));
  };
  after(() => log.dispose());

  async function readFrom(peer: { readonly url: string }) {
    const client = clientOf({ baseUrl: peer.url, apiKey: 'key' }, createDispatcher());
    return readDatasets({ connection, client, shown: new Map(), choices: new DatasetChoices() });
  }

  it('are listed up to a hundred, with a row that loads the others', async () => {
    await using peer = await httpPeer(listed);
    const row = await readFrom(peer);
    assert.equal(row?.getTreeItem().description, '100+');
    const first = await row?.getChildren();
    const more = first?.at(-1);
    assert.ok(more instanceof MoreElement);
    assert.equal(first?.length, 101);
    more.load();
    const all = await row?.getChildren();
    assert.equal(all?.length, 130);
    assert.equal(row?.getTreeItem().description, '130');
  });

  it('have a row that fails with the reason if they cannot be read', async () => {
    await using peer = await httpPeer((_, response) => json(response, 403, { detail: 'Not for you.' }));
    const row = await readFrom(peer);
    assert.equal(row?.getTreeItem().description, 'could not be read');
    await assert.rejects(async () => row?.getChildren(), /Not for you/);
  });

  it('have no row on a platform without datasets', async () => {
    await using peer = await httpPeer((_, response) => json(response, 404, { detail: 'Not Found' }));
    assert.equal(await readFrom(peer), undefined);
    await using empty = await httpPeer((_, response) => json(response, 200, []));
    assert.equal(await readFrom(empty), undefined);
  });
});
