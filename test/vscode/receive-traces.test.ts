import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { receiveTraces } from '../../src/extension/commands/traces/receive-traces.ts';
import type { ConnectionState } from '../../src/extension/connections/connection.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { eventually } from '../support/wait.ts';

describe('receiving traces from other programs', () => {
  const { showInformationMessage } = vscode.window;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url === '/harbor/otlp/close') {
      response.writeHead(204).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url: 'http://127.0.0.1:4318' }));
  });
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  after(() => {
    Object.assign(vscode.window, { showInformationMessage });
    server.close();
  });

  it('goes on after the server was restarted, until it is stopped', async () => {
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const { port } = address;
    const client = clientOf({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'none' }, createDispatcher());
    const states = new vscode.EventEmitter<ConnectionState>();
    const state: ConnectionState = { status: 'ready', client };
    const local = { state, connect: async () => client, onDidChangeState: states.event };
    const answer = Promise.withResolvers<string>();
    let isReceiving = false;
    const show = () => {
      isReceiving = true;
      return answer.promise;
    };
    Object.assign(vscode.window, { showInformationMessage: show });
    const errors = { watch: (work: PromiseLike<unknown>) => void work.then(undefined, assert.ifError) };
    const receiving = receiveTraces({ connections: { local }, errors });
    await eventually('the message', () => isReceiving);
    states.fire({ status: 'starting' });
    states.fire(state);
    await eventually('the receiver of the restarted server', () => requests.length === 2);
    answer.resolve('Stop Receiving');
    await receiving;
    states.fire(state);
    assert.deepEqual(requests, ['POST /harbor/otlp', 'POST /harbor/otlp', 'POST /harbor/otlp/close']);
  });
});
