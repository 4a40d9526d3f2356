import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { addToDataset } from '../../src/extension/commands/datasets/add-to-dataset.ts';
import { setSplits } from '../../src/extension/commands/datasets/set-splits.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import { DatasetChoices } from '../../src/extension/datasets/dataset-choices.ts';
import { DatasetElement, ExampleElement } from '../../src/extension/views/datasets.ts';
import { TraceOptions } from '../../src/extension/views/trace-options.ts';
import { ProjectElement, TraceElement } from '../../src/extension/views/traces.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

const TIME = '2026-01-01T00:00:00Z';
const dataset = { id: 'golden', tenant_id: '', name: 'golden', created_at: TIME, modified_at: TIME };

describe('a change of several rows that fails in the middle', () => {
  const log = vscode.window.createOutputChannel('examples', { log: true });
  const { showQuickPick } = vscode.window;
  const connection = new LocalConnection({
    ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
    ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
  });
  const options = new TraceOptions({ keys: () => [], get: () => undefined, update: () => Promise.resolve() });
  after(() => {
    log.dispose();
    options.dispose();
  });
  afterEach(() => Object.assign(vscode.window, { showQuickPick }));

  /** The platform refuses each request that has the word `second`. */
  const platform = () =>
    httpPeer(({ method, url, body }, response) => {
      if (/second/.test(url + body)) return json(response, 404, { detail: 'It was purged.' });
      if (method === 'GET' && /splits/.test(url)) return json(response, 200, ['first', 'second']);
      if (method === 'GET' && /runs/.test(url))
        return json(response, 200, {
          ...{ id: 'first', trace_id: 'first', name: 'agent', run_type: 'chain', status: 'success' },
          ...{ start_time: TIME, dotted_order: '', session_id: 'p', inputs: {}, outputs: {} },
        });
      if (method === 'PUT' || url.startsWith('/datasets?')) return json(response, 200, []);
      json(response, 200, { id: 'new', dataset_id: 'golden', name: '', inputs: {}, created_at: TIME });
    });

  const rowsOn = (peer: { readonly url: string }) => {
    const client = clientOf({ baseUrl: peer.url, apiKey: 'key' }, createDispatcher());
    const parts = { connection, client, shown: new Map(), options, retention: undefined };
    const project = new ProjectElement({ id: 'p', tenant_id: '', name: 'p', start_time: TIME }, true, parts);
    const golden = new DatasetElement(dataset, { ...parts, choices: new DatasetChoices() }, project);
    return {
      traces: ['first', 'second', 'third'].map(
        (id) => new TraceElement(id, { name: `Plan the ${id} trip` }, undefined, client, project),
      ),
      example: new ExampleElement('first', {}, golden, undefined),
    };
  };

  function tree() {
    const refreshed: unknown[] = [];
    return { refreshed, trees: { traces: { refresh: (id?: string) => void refreshed.push(id) } } };
  }

  it('says how many traces became examples and which one did not, and refreshes the view', async () => {
    await using peer = await platform();
    const { traces } = rowsOn(peer);
    const { refreshed, trees } = tree();
    Object.assign(vscode.window, { showQuickPick: async () => ({ label: 'golden', dataset }) });
    await assert.rejects(async () => addToDataset({ trees }, traces[0], traces), {
      message:
        'Added 1 of 3 examples to golden. Could not add Plan the second trip: It was purged. (404 from GET /runs/second)',
    });
    assert.equal(refreshed.length, 1);
  });

  it('says which split could not be changed, and refreshes the view', async () => {
    await using peer = await platform();
    const { example } = rowsOn(peer);
    const { refreshed, trees } = tree();
    const chosen = ['first', 'second'].map((split) => ({ label: split, split }));
    Object.assign(vscode.window, { showQuickPick: async () => chosen });
    await assert.rejects(async () => setSplits({ trees }, example, [example]), {
      message:
        'Changed 1 of 2 splits. Could not change second: It was purged. (404 from PUT /datasets/golden/splits)',
    });
    assert.equal(refreshed.length, 1);
  });
});
