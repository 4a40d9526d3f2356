import assert from 'node:assert/strict';
import path from 'node:path';
import { z } from 'zod';
import {
  type Endpoint,
  fillPath,
  pathParameters,
  type RequiredRight,
  RIGHTS,
  type Right,
} from '../../src/contract/endpoint.ts';
import {
  agentServerTables,
  controlPlaneTables,
  platformTables,
  tracingTables,
} from '../../src/contract/tables.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';

/** This ends the server to which the other requests go. */
const LAST = '/harbor/shutdown';

type Asked = Endpoint & { readonly right: RequiredRight };

function endpointsOf(tables: Readonly<Record<string, Readonly<Record<string, Endpoint>>>>): Asked[] {
  return Object.values(tables)
    .flatMap((endpoints) => Object.values(endpoints))
    .filter((endpoint): endpoint is Asked => 'right' in endpoint);
}

describe('the rights of keys', function () {
  this.timeout(180_000);
  let served: ServedProject;
  /** Keys by their only right, in the workspace of the server and in another. */
  const keys = { own: new Map<Right, string>(), other: new Map<Right, string>() };
  let workspace: string;

  before(async () => {
    served = await serveProject();
    const config_path = path.join(served.project.folder, 'langgraph.json');
    await make('/harbor/workspaces', { config_path, holder: 'rights', require_key: true });
    const own = await make('/api-key', {});
    workspace = z.tuple([z.string()]).parse(own.workspaces)[0];
    const { id } = await make('/workspaces', { display_name: 'another' });
    for (const right of RIGHTS) {
      keys.own.set(right, String((await make('/api-key', { rights: [right] })).key));
      keys.other.set(right, String((await make('/api-key', { rights: [right], workspaces: [id] })).key));
    }
  });
  after(() => served?.[Symbol.asyncDispose]());

  async function make(route: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${served.platformUrl}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': served.apiKey },
      body: JSON.stringify(body),
    });
    return z.looseObject({}).parse(await response.json());
  }

  /** The response of an endpoint to a key. A refusal contains the reason and nothing else. */
  async function ask(base: string, { method, path: template }: Endpoint, key?: string) {
    const ids = Object.fromEntries(pathParameters(template).map((name) => [name, crypto.randomUUID()]));
    const left = new AbortController();
    const response = await fetch(`${base}${fillPath(template, ids)}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-tenant-id': workspace,
        ...(key === undefined ? {} : { 'x-api-key': key }),
      },
      ...(method === 'GET' ? {} : { body: '{}' }),
      signal: left.signal,
    });
    const { status } = response;
    const text = [401, 403].includes(status) ? await response.text() : '';
    // Streams and slow answers are not waited for.
    left.abort();
    if (status === 401) return 'no key';
    if (text.includes('"missing_right"') || text.includes("requires the owner's key")) return 'right';
    return /not linked to workspace/.test(text) ? 'workspace' : 'answered';
  }

  /** The responses that an endpoint declares. */
  function declared({ credentials, right }: Asked, has: Right, where: 'own' | 'other') {
    if (right !== 'any' && right !== has) return 'right';
    return where === 'other' && credentials !== 'api-key-alone' ? 'workspace' : 'answered';
  }

  for (const [name, tables, minimum] of [
    ['the platform', { ...controlPlaneTables, ...tracingTables, ...platformTables }, 150],
    ['an agent server', agentServerTables, 70],
  ] as const) {
    it(`are what each endpoint of ${name} declares, for every right, in its workspace and from another`, async () => {
      const base = name === 'the platform' ? served.platformUrl : served.url;
      const endpoints = endpointsOf(tables);
      assert.ok(endpoints.length >= minimum, `${endpoints.length}`);
      const wrong: string[] = [];
      for (const endpoint of endpoints) {
        const check = (who: string, answered: string, wanted: string) => {
          if (answered === wanted) return;
          wrong.push(`${endpoint.method} ${endpoint.path} for ${who}: ${answered}, not ${wanted}`);
        };
        check('nobody', await ask(base, endpoint), 'no key');
        for (const where of ['own', 'other'] as const)
          for (const right of RIGHTS)
            check(
              `a key with ${right} of the ${where} workspace`,
              await ask(base, endpoint, keys[where].get(right)),
              declared(endpoint, right, where),
            );
        if (endpoint.path !== LAST) check('the owner', await ask(base, endpoint, served.apiKey), 'answered');
      }
      assert.deepEqual(wrong, []);
    });
  }

  it('are the same for tokens that keys are exchanged for', async () => {
    const token = async (right: Right) => {
      const response = await fetch(`${served.platformUrl}/harbor/tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': keys.own.get(right) ?? '' },
        body: '{}',
      });
      return z.looseObject({ access_token: z.string() }).parse(await response.json()).access_token;
    };
    const [list] = endpointsOf({ tracingTables: { list: tracingTables.sessions.list } });
    assert.ok(list);
    assert.equal(await ask(served.platformUrl, list, await token('read')), 'answered');
    assert.equal(await ask(served.platformUrl, list, await token('trace')), 'right');
  });
});
