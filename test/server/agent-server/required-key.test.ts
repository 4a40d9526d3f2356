import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type ServedProject, serveProject } from '../../support/served-project.ts';

const Opened = z.object({ deployment_id: z.string(), deployment_url: z.string(), requires_key: z.boolean() });

describe('the agent of an open folder that requires a key', function () {
  this.timeout(60_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
    await open({ holder: 'careful', require_key: true });
  });
  after(() => served?.[Symbol.asyncDispose]());

  function post(route: string, body: object): Promise<Response> {
    return fetch(`${served.platformUrl}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': served.apiKey },
      body: JSON.stringify(body),
    });
  }

  async function open(request: { holder: string; require_key?: boolean }) {
    const config_path = path.join(served.project.folder, 'langgraph.json');
    return Opened.parse(await (await post('/harbor/workspaces', { config_path, ...request })).json());
  }

  const search = async (headers: Record<string, string>) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' };
    const response = await fetch(`${served.url}/threads/search`, init);
    await response.arrayBuffer();
    return response.status;
  };

  it('only runs for SDKs with the key', async () => {
    const client = (apiKey: string | null) =>
      new Client({ apiUrl: served.url, apiKey, callerOptions: { maxRetries: 0 } });
    await assert.rejects(client(null).runs.wait(null, 'one_node', { input: { value: 1 } }), /401/);
    await assert.rejects(client('ah_guessed').runs.wait(null, 'one_node', { input: { value: 1 } }), /401/);
    assert.ok(await client(served.apiKey).assistants.search());
    assert.equal(await search({ authorization: `Bearer ${served.apiKey}` }), 200);
  });

  it('refuses a key of another workspace, and a WebSocket without a key', async () => {
    const made = await post('/workspaces', { display_name: 'Other' });
    const { id } = z.object({ id: z.string() }).parse(await made.json());
    const keyed = await post('/api-key', { workspaces: [id] });
    const { key } = z.object({ key: z.string() }).parse(await keyed.json());
    assert.equal(await search({ 'x-api-key': key }), 403);
    const { thread_id } = await new Client({ apiUrl: served.url, apiKey: served.apiKey }).threads.create();
    const address = `${served.url.replace('http', 'ws')}/threads/${thread_id}/stream/events`;
    const [error] = await once(new WebSocket(address), 'error').catch((reason: unknown) => [reason]);
    assert.match(String(error), /401/);
  });

  it('answers health checks without a key', async () => {
    assert.equal((await fetch(`${served.url}/ok`)).status, 200);
  });

  it('requires it until it is turned off, even if the client that turned it on has left', async () => {
    const { deployment_id, requires_key } = await open({ holder: 'other' });
    assert.equal(requires_key, true);
    await post(`/harbor/workspaces/${deployment_id}/close`, { holder: 'careful' });
    assert.equal(await search({}), 401);
    assert.equal((await open({ holder: 'other', require_key: false })).requires_key, false);
    assert.equal(await search({ 'x-api-key': 'stale' }), 200);
  });
});
