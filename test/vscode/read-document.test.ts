import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { readDocument } from '../../src/extension/activation/read-document.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

const TIME = '2026-01-01T00:00:00Z';

describe('the document of a version of an assistant', () => {
  const log = vscode.window.createOutputChannel('versions', { log: true });
  after(() => log.dispose());

  /** Reads the document of a version of an assistant with 1,200 of them. */
  async function read(version: number): Promise<string> {
    await using peer = await httpPeer(({ body }, response) => {
      const { limit, offset = 0 } = JSON.parse(body);
      const versions = Array.from({ length: Math.min(limit, 1_200 - offset) }, (_, n) => ({
        ...{
          assistant_id: 'a',
          graph_id: 'agent',
          name: 'brief',
          description: null,
          version: 1_200 - offset - n,
        },
        ...{ config: {}, context: {}, metadata: {}, created_at: TIME, updated_at: TIME },
      }));
      json(response, 200, versions);
    });
    const connection = new LocalConnection({
      ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
      ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
    });
    const platform = clientOf({ baseUrl: peer.url, apiKey: 'key' }, createDispatcher());
    const client = platform.withDeployment(peer.url);
    const uri = vscode.Uri.from({
      ...{ scheme: 'agent-harbor', authority: 'version', path: '/brief.json' },
      query: new URLSearchParams({ deployment: 'd', assistant: 'a', version: String(version) }).toString(),
    });
    return await readDocument(uri, {
      deployments: { open: async () => ({ key: 'd', name: 'docs', connection, client }) },
      connections: { require: () => connection },
      deploymentKey: () => undefined,
    });
  }

  it('is found among any number of versions', async () => {
    assert.equal(JSON.parse(await read(5)).version, 5);
  });

  it('is an error if the version no longer exists', async () => {
    await assert.rejects(read(1_300), { message: 'The assistant has no version 1300.' });
  });
});
