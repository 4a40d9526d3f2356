import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { SessionPanel } from '../../../support/session-panel.ts';
import { eventually } from '../../../support/wait.ts';

describe('the session of a run panel', () => {
  const assistant = {
    ...{ assistant_id: 'chat', graph_id: 'chat', name: 'chat', description: null, version: 1 },
    ...{ config: {}, context: {}, metadata: {} },
    ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
  };
  const schemas = {
    ...{ graph_id: 'chat', input_schema: { type: 'object', properties: { messages: { type: 'array' } } } },
    ...{ output_schema: null, state_schema: null, config_schema: null, context_schema: null },
  };
  /** How the server answers requests for schemas, and for the assistant. */
  let schemaAnswers: 'late' | 'refused' | 'sent';
  let assistantStatus: number;
  let server: Server;
  let client: Client;
  const dispatcher = createDispatcher();

  before(async () => {
    server = createServer((request, response) => {
      const answer = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (request.url?.endsWith('/schemas') !== true) {
        const isGraph = request.url?.includes('/graph') === true;
        answer(
          isGraph ? 404 : assistantStatus,
          isGraph || assistantStatus !== 200 ? { detail: 'No.' } : assistant,
        );
      } else if (schemaAnswers === 'refused') answer(422, { detail: 'The graph could not be loaded.' });
      else if (schemaAnswers === 'sent') answer(200, schemas);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const connection = localConnection({ baseUrl, apiKey: 'key', deploymentUrl: baseUrl });
    client = new Client({ connection, dispatcher, timeoutMs: 500, retries: 0 });
  });
  after(async () => {
    await dispatcher.destroy();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    schemaAnswers = 'sent';
    assistantStatus = 200;
  });

  it('says that the schemas are late, and reports when they have arrived', async () => {
    schemaAnswers = 'late';
    const panel = new SessionPanel(client);
    const late = await panel.session.open();
    assert.deepEqual([late.input, late.template, late.is_schema_late], ['json', '{}', true]);
    assert.equal(panel.hasLateSchemas, false);
    schemaAnswers = 'sent';
    await eventually('the schemas', () => panel.hasLateSchemas);
    const { input, is_schema_late } = await panel.session.read();
    assert.deepEqual([input, is_schema_late], ['chat', false]);
    panel.session.dispose();
  });

  it('does not wait for schemas that the server refuses', async () => {
    schemaAnswers = 'refused';
    const panel = new SessionPanel(client);
    const { input, is_schema_late } = await panel.session.open();
    assert.deepEqual([input, is_schema_late], ['json', false]);
    panel.session.dispose();
  });

  it('can be used after it could not be read again', async () => {
    const panel = new SessionPanel(client);
    await panel.session.open();
    assistantStatus = 503;
    await assert.rejects(panel.session.read());
    assert.equal((await panel.session.open()).input, 'chat');
    panel.session.dispose();
  });
});
