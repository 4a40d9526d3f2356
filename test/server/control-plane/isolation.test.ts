import assert from 'node:assert/strict';
import { z } from 'zod';
import { debugging } from '../../../src/contract/debugging.ts';
import { type Endpoint, fillPath } from '../../../src/contract/endpoint.ts';
import { evaluators } from '../../../src/contract/evaluators.ts';
import { harbor } from '../../../src/contract/harbor.ts';
import { identity as identityEndpoints } from '../../../src/contract/identity.ts';
import { openFolderBox } from '../../../src/server/control-plane/secrets/folder-key.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { controlPlaneEndpoints } from '../../support/control-plane/endpoints.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { EVERYTHING } from '../../support/keys.ts';

/** Occurs in everything that the owner has, and in nothing else. */
const HEIRLOOM = 'heirloom';
const Token = z.looseObject({ access_token: z.string() });
const TOKEN_ID = '01900000-0000-7000-8000-00000000000a';

type Ids = Record<'deployment_id' | 'revision_id' | 'listener_id' | 'integration_id' | 'auth_id', string> & {
  provider_id: string;
  token_id: string;
  agent_id: string;
  connection_id: string;
  key: string;
};

type Expected =
  /** The resource is not found. */
  | 'not found'
  /** The response is a success without any data of the owner. */
  | 'nothing'
  /** Created for the caller. */
  | 'own'
  /**
   * Resources of the organization: its other workspaces share them, and other organizations do not find them.
   */
  | 'shared'
  /** The same, but only the workspace that created it may change it. */
  | 'read only'
  /** The address or the signature is the only credential. */
  | 'no credentials';

interface Attempt {
  readonly expected: Expected;
  readonly query?: string;
  readonly body?: (ids: Ids) => object;
}

/** A stranger's attempts at each endpoint, with the owner's ids in the path. */
const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'GET /v2/deployments': { expected: 'nothing' },
  'POST /v2/deployments': {
    expected: 'own',
    body: () => ({
      name: crypto.randomUUID(),
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
    }),
  },
  'DELETE /v2/deployments': { expected: 'not found', query: 'deployment_ids={deployment_id}' },
  'GET /v2/deployments/{deployment_id}': { expected: 'not found' },
  'PATCH /v2/deployments/{deployment_id}': { expected: 'not found', body: () => ({ secrets: [] }) },
  'DELETE /v2/deployments/{deployment_id}': { expected: 'not found' },
  'POST /v2/deployments/{deployment_id}/upload-url': { expected: 'not found' },
  'PUT /v2/uploads/{token}': { expected: 'no credentials' },
  'POST /v2/deployments/{deployment_id}/push-token': { expected: 'not found' },
  'POST /harbor/deployments/{deployment_id}/pause': { expected: 'not found' },
  'POST /harbor/deployments/{deployment_id}/resume': { expected: 'not found' },
  'POST /harbor/deployments/{deployment_id}/revisions/{revision_id}/end-draining': { expected: 'not found' },
  'GET /v2/deployments/{deployment_id}/revisions': { expected: 'not found' },
  'GET /v2/deployments/{deployment_id}/revisions/{revision_id}': { expected: 'not found' },
  'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy': { expected: 'not found' },
  'POST /v1/projects/{deployment_id}/revisions/{revision_id}/interrupt': { expected: 'not found' },
  'GET /harbor/deployments/{deployment_id}/revisions/{revision_id}/files': { expected: 'not found' },
  'POST /v1/projects/{deployment_id}/revisions/{revision_id}/build_logs': {
    expected: 'not found',
    body: () => ({}),
  },
  'POST /v1/projects/{deployment_id}/revisions/{revision_id}/deploy_logs': {
    expected: 'not found',
    body: () => ({}),
  },
  'POST /v1/projects/{deployment_id}/deploy_logs': { expected: 'not found', body: () => ({}) },
  'GET /v2/listeners': { expected: 'nothing' },
  'POST /v2/listeners': {
    expected: 'own',
    body: () => ({ compute_type: 'k8s', compute_id: crypto.randomUUID(), compute_config: {} }),
  },
  'GET /v2/listeners/{listener_id}': { expected: 'not found' },
  'PATCH /v2/listeners/{listener_id}': { expected: 'not found', body: () => ({ version: 'stolen' }) },
  'DELETE /v2/listeners/{listener_id}': { expected: 'not found' },
  'GET /v1/integrations/github/install': { expected: 'nothing' },
  'GET /v1/integrations/github/{integration_id}/repos': { expected: 'not found' },
  'GET /v1/integrations/forge/github/install': { expected: 'nothing' },
  'GET /v1/integrations/forge/github/{integration_id}/repos': { expected: 'not found' },
  'POST /harbor/integrations/github': { expected: 'own', body: () => ({ name: 'theirs', token: 't' }) },
  'DELETE /harbor/integrations/github/{integration_id}': { expected: 'not found' },
  'GET /v2/auth/providers': { expected: 'shared' },
  'POST /v2/auth/providers': {
    expected: 'own',
    body: () => ({
      provider_id: 'theirs',
      name: 'theirs',
      client_id: 'c',
      auth_url: 'https://example.com/a',
      token_url: 'https://example.com/t',
    }),
  },
  'POST /v2/auth/providers/mcp-discover': { expected: 'own', body: () => ({}) },
  'GET /v2/auth/providers/{provider_id}': { expected: 'shared' },
  'PATCH /v2/auth/providers/{provider_id}': {
    expected: 'read only',
    body: () => ({ token_url: 'https://example.com/stolen' }),
  },
  'DELETE /v2/auth/providers/{provider_id}': { expected: 'read only' },
  'POST /v2/auth/authenticate': {
    expected: 'shared',
    body: ({ provider_id, token_id }) => ({ provider: provider_id, scopes: [], user_id: 'ann', token_id }),
  },
  'GET /v2/auth/wait/{auth_id}': { expected: 'nothing', query: 'timeout=0' },
  'POST /v2/auth/callback/{provider_id}': { expected: 'own', body: () => ({ code: 'c', state: 'guessed' }) },
  'GET /v2/auth/callback/{provider_id}': { expected: 'no credentials' },
  'GET /host-oauth-callback/{provider_id}': { expected: 'no credentials' },
  'GET /v2/auth/setup/{provider_id}': { expected: 'no credentials' },
  'GET /v2/auth/tokens': { expected: 'nothing', query: 'user_id=ann' },
  'DELETE /v2/auth/tokens': { expected: 'nothing', query: 'provider_id={provider_id}&user_id=ann' },
  'GET /v2/auth/tokens/exists': { expected: 'nothing', query: 'provider_id={provider_id}&user_id=ann' },
  'GET /v2/auth/tokens/workspace/slack/exists': { expected: 'nothing' },
  'DELETE /v2/auth/tokens/workspace/slack': { expected: 'nothing' },
  'PATCH /v2/auth/tokens/{token_id}/metadata': {
    expected: 'not found',
    body: () => ({ provider_account_label: 'stolen' }),
  },
  'DELETE /v2/auth/tokens/{token_id}': { expected: 'not found' },
  'GET /v2/auth/agents/{agent_id}/connections': { expected: 'nothing' },
  'POST /v2/auth/agents/{agent_id}/connections': {
    expected: 'not found',
    body: ({ token_id }) => ({ oauth_token_id: token_id }),
  },
  'DELETE /v2/auth/agents/{agent_id}/connections/{connection_id}': { expected: 'not found' },
  'GET /harbor/deployments/{deployment_id}/push-webhook': { expected: 'not found' },
  'POST /harbor/deployments/{deployment_id}/pushed': { expected: 'no credentials', body: () => ({}) },
  'GET /workspaces/current/secrets': { expected: 'nothing' },
  'POST /workspaces/current/secrets': { expected: 'own', body: () => [{ key: 'THEIRS', value: null }] },
  'PUT /workspaces/current/secrets/{key}': { expected: 'not found', body: () => ({}) },
  'DELETE /workspaces/current/secrets/{key}': { expected: 'own' },
  'POST /harbor/tokens': { expected: 'own', body: () => ({ expires_in_seconds: 60 }) },
};

interface Stranger {
  readonly name: string;
  readonly key: string;
  readonly sharesOrganization: boolean;
}

describe('the resources of a workspace in the control plane', function () {
  this.timeout(60_000);
  let server: ServerProcess;
  let ids: Ids;
  let strangers: readonly Stranger[];

  before(async () => {
    server = await serverProcess({ args: ['--github-api', 'http://127.0.0.1:9'] });
    const { client } = server;
    const deployment = await client.deployments.create({
      body: {
        name: HEIRLOOM,
        source: 'internal_source',
        source_config: {},
        source_revision_config: {},
        secrets: [{ name: 'HEIRLOOM', value: HEIRLOOM }],
      },
    });
    const listener = await client.controlPlane.listeners.create({
      body: { compute_type: 'k8s', compute_id: HEIRLOOM, compute_config: {} },
    });
    await client.controlPlane.oauthProviders.create({
      body: {
        provider_id: 'idp',
        name: HEIRLOOM,
        client_id: 'c',
        auth_url: 'http://127.0.0.1:9/auth',
        token_url: 'http://127.0.0.1:9/token',
      },
    });
    await client.workspaceSecrets.set({ body: [{ key: 'HEIRLOOM', value: HEIRLOOM }] });
    const begun = await client.controlPlane.oauthFlows.authenticate({
      body: { provider: 'idp', scopes: [], user_id: 'ann' },
    });
    ids = {
      deployment_id: deployment.id,
      revision_id: deployment.latest_revision_id ?? '',
      listener_id: listener.id,
      integration_id: '01900000-0000-7000-8000-00000000000b',
      auth_id: begun.auth_id ?? '',
      provider_id: 'idp',
      token_id: TOKEN_ID,
      agent_id: 'planner',
      connection_id: '01900000-0000-7000-8000-00000000000c',
      key: 'HEIRLOOM',
    };
    strangers = await inTheDatabase();
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Data that requires a consent or GitHub, and callers of other workspaces and organizations. */
  async function inTheDatabase(): Promise<Stranger[]> {
    const db = await openStateDatabase(server.dataDir);
    try {
      const box = await openFolderBox(server.dataDir);
      const identity = new Identity(db);
      const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
      const created_at = new Date().toISOString();
      await db
        .insertInto('github_integrations')
        .values({
          id: ids.integration_id,
          workspace_id: workspaceId,
          installation_id: 1,
          name: HEIRLOOM,
          sealed: box.seal('a token', `github integration ${ids.integration_id}`),
          created_at,
        })
        .execute();
      await db
        .insertInto('oauth_tokens')
        .values({
          id: TOKEN_ID,
          organization_id: organizationId,
          workspace_id: workspaceId,
          provider_id: 'idp',
          user_id: 'ann',
          provider_account_label: HEIRLOOM,
          scopes: '[]',
          sealed: box.seal('{"accessToken":"heirloom"}', `oauth token ${TOKEN_ID}`),
          expires_at: null,
          is_default: 1,
          created_at,
          updated_at: created_at,
        })
        .execute();
      const connection = { id: ids.connection_id, workspace_id: workspaceId, agent_id: ids.agent_id };
      await db
        .insertInto('agent_connections')
        .values({ ...connection, oauth_token_id: TOKEN_ID, created_by: HEIRLOOM, created_at })
        .execute();
      const other = crypto.randomUUID();
      await db.insertInto('organizations').values({ id: other, name: 'other', created_at }).execute();
      const made: Stranger[] = [];
      for (const [name, organization] of [
        ['another workspace', organizationId],
        ['another organization', other],
      ] as const) {
        const id = crypto.randomUUID();
        const row = { id, organization_id: organization, name, created_at };
        await db.insertInto('workspaces').values(row).execute();
        const key = await identity.createKey({
          organizationId: organization,
          workspaceIds: [id],
          name,
          grant: EVERYTHING,
        });
        made.push({ name, key, sharesOrganization: organization === organizationId });
      }
      return made;
    } finally {
      await db.destroy();
    }
  }

  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name as keyof Ids] ?? ''));

  function attempt(endpoint: Endpoint, headers: Record<string, string>): Promise<Response> {
    const { body, query } = ATTEMPTS[`${endpoint.method} ${endpoint.path}`] ?? {};
    const route = fillPath(endpoint.path, { ...ids, token: 'guessed' });
    return fetch(`${server.baseUrl}${route}${query === undefined ? '' : `?${fill(query)}`}`, {
      method: endpoint.method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body(ids)) }),
    });
  }

  /** Everything that the owner can read. */
  async function possessions(): Promise<unknown[]> {
    const routes = controlPlaneEndpoints
      .filter(
        ({ method, credentials, path }) =>
          method === 'GET' && credentials !== 'none' && !path.includes('repos'),
      )
      .filter(({ path }) => !path.includes('wait'))
      .map(({ path }) => `${fillPath(path, { ...ids })}?provider_id=idp&user_id=ann`);
    return Promise.all(routes.map(async (route) => [route, await (await server.fetch(route)).json()]));
  }

  it('are tested at every endpoint', () => {
    assert.deepEqual(
      controlPlaneEndpoints.map(({ method, path }) => `${method} ${path}`).sort(),
      Object.keys(ATTEMPTS).sort(),
    );
  });

  it('are neither found, listed, nor changed by others', async () => {
    // The secret of a webhook is created on the first request for it.
    await possessions();
    const before = await possessions();
    assert.match(JSON.stringify(before), new RegExp(`${HEIRLOOM}.*${HEIRLOOM}.*${HEIRLOOM}`));
    for (const { name, key, sharesOrganization } of strangers) {
      for (const endpoint of controlPlaneEndpoints) {
        const what = `${endpoint.method} ${endpoint.path} by ${name}`;
        const { expected } = ATTEMPTS[`${endpoint.method} ${endpoint.path}`] ?? {};
        if (expected === 'no credentials') continue;
        // A provider that this key adds also belongs to the organization, and would be listed.
        const adds = endpoint.path.startsWith('/v2/auth/providers') && endpoint.method === 'POST';
        if (adds && sharesOrganization) continue;
        const response = await attempt(endpoint, { 'x-api-key': key });
        const text = await response.text();
        if (expected === 'not found') assert.equal(response.status, 404, `${what}: ${text}`);
        if (expected === 'nothing') {
          assert.equal(response.status, 200, `${what}: ${text}`);
          assert.ok(
            !text.includes(HEIRLOOM) && !/true|completed|[1-9]/.test(text.replace(/"offset":0/, '')),
            `${what}: ${text}`,
          );
        }
        if (expected === 'read only') {
          assert.equal(response.status, sharesOrganization ? 403 : 404, `${what}: ${text}`);
        }
        if (expected === 'shared' && !sharesOrganization) {
          assert.ok(!text.includes(HEIRLOOM), `${what}: ${text}`);
          assert.ok(response.status === 404 || text === '[]', `${what}: ${response.status} ${text}`);
        }
        assert.ok(!text.includes('accessToken') && !/"token":"heirloom"/.test(text), what);
        assert.ok(response.status < 500 || response.status === 502, what);
      }
    }
    assert.deepEqual(await possessions(), before);
  });

  it('do not include server-wide actions, which require the machine’s own key', async () => {
    const made = await server.client.identity.createKey({ body: { description: 'of the same workspace' } });
    const token = await server.fetch('/harbor/tokens', {
      method: 'POST',
      body: { expires_in_seconds: 60 },
    });
    const { access_token } = Token.parse(await token.json());
    const own = [
      { name: 'the workspace', headers: { 'x-api-key': made.key } },
      { name: 'a token of the machine', headers: { authorization: `Bearer ${access_token}` } },
    ];
    const others = strangers.map(({ name, key }) => ({ name, headers: { 'x-api-key': key } }));
    const bodies: Record<string, object> = {
      'POST /harbor/workspaces': { config_path: '/nowhere/langgraph.json' },
      'POST /harbor/shutdown': { when: 'now' },
      'POST /orgs': { display_name: 'theirs' },
      'POST /workspaces': { display_name: 'theirs' },
    };
    const owners = Object.values<Endpoint>({
      ...harbor,
      ...debugging,
      ...evaluators,
      ...identityEndpoints,
    }).filter((endpoint) => 'right' in endpoint && endpoint.right === 'owner');
    assert.ok(owners.length >= Object.keys(bodies).length);
    for (const { name, headers } of [...own, ...others]) {
      for (const { method, path } of owners) {
        const response = await fetch(`${server.baseUrl}${fillPath(path, { ...ids })}`, {
          method,
          headers: { ...headers, 'content-type': 'application/json' } as Record<string, string>,
          ...(method === 'GET' ? {} : { body: JSON.stringify(bodies[`${method} ${path}`] ?? {}) }),
        });
        assert.equal(response.status, 403, `${method} ${path} by ${name}: ${await response.text()}`);
      }
    }
    assert.equal((await server.fetch('/harbor/handshake')).status, 200);
  });

  it('are not shown without a valid key', async () => {
    for (const headers of [
      {},
      { 'x-api-key': 'wrong' },
      { 'x-tenant-id': '01900000-0000-7000-8000-000000000000' },
      { authorization: 'Bearer wrong' },
    ]) {
      for (const endpoint of controlPlaneEndpoints) {
        if (ATTEMPTS[`${endpoint.method} ${endpoint.path}`]?.expected === 'no credentials') continue;
        const { status } = await attempt(endpoint, headers as Record<string, string>);
        assert.equal(status, 401, `${endpoint.method} ${endpoint.path} with ${JSON.stringify(headers)}`);
      }
    }
  });

  it('are not revealed by endpoints without a key', async () => {
    for (const endpoint of controlPlaneEndpoints) {
      if (ATTEMPTS[`${endpoint.method} ${endpoint.path}`]?.expected !== 'no credentials') continue;
      const response = await attempt(endpoint, {});
      assert.ok(!(await response.text()).includes(HEIRLOOM), endpoint.path);
      const { status } = response;
      assert.ok(
        endpoint.path.includes('setup') || [400, 403, 422].includes(status),
        `${endpoint.path}: ${status}`,
      );
    }
  });
});
