import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type GraphProject, graphProject } from '../../../support/projects.ts';
import { configure, type ServedProject, serveProject } from '../../../support/served-project.ts';

const Opened = z.object({ deployment_id: z.string(), deployment_url: z.string(), requires_key: z.boolean() });

describe('the agent of an open folder that requires a key', function () {
  this.timeout(60_000);
  let served: ServedProject;
  let own: GraphProject | undefined;
  before(async () => {
    served = await serveProject();
    await open({ holder: 'careful', require_key: true });
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    // On Windows it is in use as long as its graphs run.
    await own?.[Symbol.asyncDispose]();
  });

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

  it('runs only for SDKs with the key', async () => {
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

  it('always requires it from other machines, on the network address that it was opened with', async () => {
    own = await graphProject({ line: 'langgraph-1.7' });
    await configure(own.folder, {});
    const config_path = path.join(own.folder, 'langgraph.json');
    const asked = (body: object) =>
      post('/harbor/workspaces', { config_path, holder: 'host', port: 0, ...body });
    assert.equal((await asked({ host: 'my-machine' })).status, 422);
    const unknown = await asked({ host: '192.0.2.1' });
    assert.deepEqual([unknown.status, /is not an address of this/.test(await unknown.text())], [422, true]);
    const opened = Opened.parse(await (await asked({ host: '0.0.0.0' })).json());
    assert.equal(opened.requires_key, true);
    // Any other address of this machine works here, such as a loopback address on which the server does not
    // listen by default.
    const { port } = new URL(opened.deployment_url);
    const status = async (host: string, headers: Record<string, string> = {}) => {
      const sent = request({ host: '127.0.0.2', port, path: '/assistants/x', headers: { host, ...headers } });
      const [response] = await once(sent.end(), 'response');
      response.resume();
      return response.statusCode;
    };
    if (process.platform === 'linux') {
      assert.equal(await status('agents.example'), 401);
      assert.equal(await status('agents.example', { 'x-api-key': served.apiKey }), 404);
      const { port: closed } = new URL(served.url);
      await assert.rejects(fetch(`http://127.0.0.2:${closed}/ok`), 'nothing else is reached there');
    }
    const off = Opened.parse(await (await asked({ require_key: false })).json());
    assert.equal(off.requires_key, true);
    assert.equal((await asked({ host: '127.0.0.1' })).status, 409);
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
