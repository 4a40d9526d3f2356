import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { findTestSources } from '../../src/extension/commands/tests/find-test-sources.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import { TraceOptions } from '../../src/extension/views/trace-options.ts';
import { ProjectElement, TraceElement } from '../../src/extension/views/traces.ts';
import { clientOf } from '../../src/launcher/client-of.ts';

const ID = '0195f2b4-6c1e-7d0a-8f3e-0a1b2c3d4e5f';
const TIME = '2026-01-01T00:00:00Z';
const TRACE = {
  ...{ id: ID, trace_id: ID, dotted_order: ID, session_id: ID, name: 'agent', run_type: 'chain' },
  ...{ status: 'success', start_time: TIME },
};

describe('a test made from a trace', () => {
  const log = vscode.window.createOutputChannel('make-test', { log: true });
  const local = new LocalConnection({
    ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
    ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
  });
  const unused = () => Promise.reject(new Error('This deployment is not meant.'));
  const parts = {
    deployments: {
      open: unused,
      findOpen: () => Promise.reject(new Error('The deployment did not answer.')),
      folders: { list: async () => [], open: unused },
    },
    connections: { local },
    panels: async () => ({ active: { threadId: 'another', deployment: 'another', assistantId: 'another' } }),
  };
  /** The metadata of the trace. */
  let metadata: Record<string, string> = {};
  const server = createServer((_, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...TRACE, extra: { metadata } })),
  );
  let row: TraceElement;

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = clientOf({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' }, createDispatcher());
    const memento = { keys: () => [], get: () => undefined, update: async () => {} };
    const project = new ProjectElement({ id: ID, tenant_id: ID, name: 'docs', start_time: TIME }, true, {
      ...{ connection: local, client, options: new TraceOptions(memento) },
      ...{ retention: undefined, shown: new Map() },
    });
    row = new TraceElement(ID, TRACE, undefined, client, project);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    log.dispose();
  });

  it('uses only the trace if it has no thread', async () => {
    metadata = {};
    const [source] = await findTestSources(parts, [row, undefined]);
    assert.deepEqual(source, { client: row.client, runId: ID, run: undefined });
  });

  it('reports why its run cannot be found, instead of leaving the run out', async () => {
    metadata = { graph_id: 'agent', thread_id: ID };
    await assert.rejects(findTestSources(parts, [row, undefined]), /The deployment did not answer/);
  });

  it('is not made from the active run panel instead, if VS Code passes no row for the trace', async () => {
    for (const lost of [
      [undefined, undefined],
      [undefined, [undefined, row]],
    ])
      await assert.rejects(findTestSources(parts, lost), /The view was refreshing/);
  });

  it('is made from the active run panel if no row is meant', async () => {
    for (const args of [[], [{ groupId: 1 }]])
      await assert.rejects(findTestSources(parts, args), /This deployment is not meant/);
  });
});
