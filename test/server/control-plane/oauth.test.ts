import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import type { Browser } from 'playwright-core';
import { RequestError } from '../../../src/client/request-error.ts';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { openFolderBox } from '../../../src/server/control-plane/secrets/folder-key.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { launchBrowser } from '../../support/browser.ts';
import { LINK_PACKAGES, linkedProject } from '../../support/control-plane/example-files.ts';
import { gitRepository } from '../../support/control-plane/git-repository.ts';
import { type OpenIdProvider, openIdProvider } from '../../support/control-plane/openid-provider.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';

const askingGraph = `
import { Annotation, interrupt, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ user: Annotation, answer: Annotation });

async function authenticate(user) {
  const response = await fetch(process.env.LANGSMITH_API_URL + '/v2/auth/authenticate', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': process.env.LANGSMITH_API_KEY },
    body: JSON.stringify({ provider: 'idp', scopes: ['openid', 'calendar'], user_id: user }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

async function calendar({ user }) {
  const { status, url } = await authenticate(user);
  if (status === 'pending') interrupt({ message: 'Sign in to go on.', url });
  return { answer: (await authenticate(user)).status };
}

export const graph = new StateGraph(State).addNode('calendar', calendar).addEdge('__start__', 'calendar').compile();
`;

describe('signing in to an OAuth provider', function () {
  this.timeout(180_000);
  let server: ServerProcess;
  let idp: OpenIdProvider;
  let browser: Browser;
  /** Tokens of callers, which must appear only in their responses. */
  const handedOut = new Set<string>();

  const provider = () => ({
    name: 'The identity provider',
    client_id: idp.clientId,
    client_secret: idp.clientSecret,
    auth_url: idp.authUrl,
    token_url: idp.tokenUrl,
    uses_pkce: true,
  });

  before(async () => {
    server = await serverProcess();
    browser = await launchBrowser();
    idp = await openIdProvider({
      redirectUris: ['idp', 'short'].map((id) => `${server.baseUrl}/host-oauth-callback/${id}`),
      // The token is always about to expire, so that every use refreshes it.
      accessTokenSeconds: 30,
    });
    for (const id of ['idp', 'short']) {
      await server.client.controlPlane.oauthProviders.create({ body: { provider_id: id, ...provider() } });
    }
  });
  after(async () => {
    await browser?.close();
    await idp?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Acts as a user on the provider's pages. @returns the text of the last page */
  async function consent(url: string, name: string): Promise<string> {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(url);
      await page.fill('input[name=login]', name);
      await page.fill('input[name=password]', 'any');
      await page.click('button[type=submit]');
      await page.waitForLoadState();
      await page.click('button[type=submit]');
      await page.waitForURL(/host-oauth-callback/);
      return await page.innerText('main');
    } finally {
      await context.close();
    }
  }

  /** Expires a token, as if the user had also withdrawn consent. */
  async function endToken(id: string): Promise<void> {
    const db = await openStateDatabase(server.dataDir);
    try {
      const box = await openFolderBox(server.dataDir);
      const values = { access_token: 'has ended', refresh_token: 'was taken back' };
      await db
        .updateTable('oauth_tokens')
        .set({
          sealed: box.seal(JSON.stringify(values), `oauth token ${id}`),
          expires_at: new Date(Date.now() - 1_000).toISOString(),
        })
        .where('id', '=', id)
        .execute();
    } finally {
      await db.destroy();
    }
  }

  const { authenticate, wait } = {
    authenticate: (body: object) =>
      server.client.controlPlane.oauthFlows.authenticate({
        body: { provider: 'idp', scopes: ['openid', 'email', 'offline_access'], ...body },
      }),
    wait: (auth_id: string, timeout: number) =>
      server.client.controlPlane.oauthFlows.wait({ params: { auth_id }, query: { timeout } }),
  };

  it('works in a real browser, returns the token, and refreshes it', async () => {
    const first = await authenticate({ user_id: 'ann' });
    assert.equal(first.status, 'pending');
    assert.ok(first.url && first.auth_id);
    assert.equal(new URL(first.url).searchParams.get('code_challenge_method'), 'S256');
    assert.equal((await wait(first.auth_id, 0)).status, 'pending');
    assert.equal((await wait(first.auth_id, 1)).status, 'timeout');
    const waiting = wait(first.auth_id, 60);
    assert.match(await consent(first.url, 'ann'), /Signed in to The identity provider/);
    const waited = await waiting;
    assert.equal(waited.status, 'completed');
    assert.ok(waited.token);
    handedOut.add(waited.token);

    const grantsBefore = idp.grants.length;
    const again = await authenticate({ user_id: 'ann' });
    assert.equal(again.status, 'completed');
    assert.ok(again.token);
    handedOut.add(again.token);
    assert.ok(idp.grants.slice(grantsBefore).includes('refresh_token'));
    // The token was about to expire, so it was refreshed first.
    assert.notEqual(again.token, waited.token);
    const together = await Promise.all(Array.from({ length: 5 }, () => authenticate({ user_id: 'ann' })));
    for (const { token } of together) handedOut.add(token ?? '');
    assert.deepEqual(new Set(together.map(({ status }) => status)), new Set(['completed']));

    // The token belongs to Ann only.
    assert.equal((await authenticate({ user_id: 'bob' })).status, 'pending');
    const { oauthTokens } = server.client.controlPlane;
    const before = Date.now();
    const latest = await authenticate({ user_id: 'ann' });
    handedOut.add(latest.token ?? '');
    const [token] = await oauthTokens.list({ query: { user_id: 'ann', provider_id: 'idp' } });
    assert.ok(token);
    assert.equal(latest.metadata?.expires_at, token.expires_at, 'as it is refreshed');
    assert.ok(Date.parse(token.expires_at ?? '') > before);
    assert.equal(token.is_default, true);
    assert.deepEqual(await oauthTokens.list({ query: { user_id: 'bob' } }), []);

    // An agent may use it when it is connected to it.
    const forAgent = () => authenticate({ user_id: 'ann', agent_id: 'planner' });
    assert.equal((await forAgent()).status, 'connection_required');
    const { agentConnections } = server.client.controlPlane;
    const connection = await agentConnections.create({
      params: { agent_id: 'planner' },
      body: { oauth_token_id: token.id },
    });
    assert.equal((await forAgent()).status, 'completed');
    await agentConnections.delete({ params: { agent_id: 'planner', connection_id: connection.id } });
    assert.equal((await forAgent()).status, 'connection_required');

    // The token can be requested by its ID until it has expired and the provider no longer renews it.
    const byId = () => authenticate({ user_id: 'ann', token_id: token.id });
    const given = await byId();
    assert.equal(given.status, 'completed');
    handedOut.add(given.token ?? '');
    await assert.rejects(authenticate({ user_id: 'bob', token_id: token.id }), /not found/);
    await endToken(token.id);
    assert.deepEqual(await byId(), { status: 'token_expired', user_id: 'ann' });
    assert.equal(idp.refusals.at(-1), 'invalid_grant');
    assert.equal((await authenticate({ user_id: 'ann' })).status, 'pending');

    const labelled = await oauthTokens.update({
      params: { token_id: token.id },
      body: { provider_account_label: 'work' },
    });
    assert.equal(labelled.provider_account_label, 'work');
    assert.deepEqual(await oauthTokens.exists({ query: { provider_id: 'idp', user_id: 'ann' } }), {
      has_token: true,
    });
    await oauthTokens.delete({ params: { token_id: token.id } });
    assert.deepEqual(await oauthTokens.exists({ query: { provider_id: 'idp', user_id: 'ann' } }), {
      has_token: false,
    });
  });

  it('accepts a redirect once, and only with the issued state', async () => {
    const begun = await authenticate({ provider: 'short', user_id: 'eve' });
    const state = new URL(begun.url ?? '').searchParams.get('state');
    const callback = (query: string) => fetch(`${server.baseUrl}/v2/auth/callback/short?${query}`);
    assert.equal((await callback('code=x&state=guessed')).status, 400);
    const refused = await callback(`error=access_denied&error_description=<b>no</b>&state=${state}`);
    assert.equal(refused.status, 400);
    const page = await refused.text();
    assert.match(page, /Not signed in/);
    assert.ok(page.includes('&lt;b&gt;no&lt;/b&gt;') && !page.includes('<b>no'));
    assert.equal((await callback(`code=x&state=${state}`)).status, 400);
    assert.equal((await wait(begun.auth_id ?? '', 5)).status, 'not_found');
  });

  it('lets a graph interrupt with the URL, and continue after the consent', async () => {
    const user = `carol ${crypto.randomUUID()}`;
    await using repository = await gitRepository();
    await repository.push({
      ...(await linkedProject('unused')),
      'src/asking.mjs': askingGraph,
      'langgraph.json': JSON.stringify({ graphs: { asking: './src/asking.mjs:graph' } }),
    });
    const created = await server.client.deployments.create({
      body: {
        name: `asking ${crypto.randomUUID()}`,
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
    await waitForRevision(server.client.revisions, params);
    const { source_config } = await server.client.deployments.get({ params });
    const sdk = new LangGraphClient({ apiUrl: source_config.custom_url ?? '', apiKey: server.apiKey });
    const thread = await sdk.threads.create();
    await sdk.runs.wait(thread.thread_id, 'asking', { input: { user } });
    const state = await sdk.threads.getState(thread.thread_id);
    const asked = state.tasks[0]?.interrupts[0]?.value as { url: string };
    await consent(asked.url, user);
    const values = await sdk.runs.wait(thread.thread_id, 'asking', { command: { resume: true } });
    assert.deepEqual(values, { user, answer: 'completed' });
  });

  it('updates a provider with PATCH and never returns its client secret', async () => {
    const { oauthProviders } = server.client.controlPlane;
    const params = { provider_id: `changed-${crypto.randomUUID()}` };
    await oauthProviders.create({ body: { ...params, ...provider() } });
    const before = await oauthProviders.get({ params });
    assert.ok(!('client_secret' in before));
    const same = await oauthProviders.update({ params, body: { name: null, uses_pkce: null } });
    assert.deepEqual({ ...same, updated_at: before.updated_at }, before);
    const renamed = await oauthProviders.update({
      params,
      body: { name: 'Renamed', client_secret: 'new one' },
    });
    assert.equal(renamed.name, 'Renamed');
    assert.ok(!JSON.stringify(renamed).includes('new one'));
    const wrong = await server.fetch(`/v2/auth/providers/${params.provider_id}`, {
      method: 'PATCH',
      body: { uses_pkce: 'yes' },
    });
    assert.equal(wrong.status, 422);
    assert.deepEqual(await wrong.json(), {
      detail: [
        {
          loc: ['body', 'uses_pkce'],
          msg: 'Invalid input: expected boolean, received string',
          type: 'invalid_type',
        },
      ],
      message: 'body.uses_pkce: Invalid input: expected boolean, received string',
    });
    await assert.rejects(
      oauthProviders.get({ params: { provider_id: 'none' } }),
      (error: unknown) => error instanceof RequestError && error.status === 404,
    );
    const listed = async () => (await oauthProviders.list()).map(({ provider_id }) => provider_id);
    assert.ok((await listed()).includes(params.provider_id));
    await oauthProviders.delete({ params });
    assert.ok(!(await listed()).includes(params.provider_id));
  });

  it('discovers how to sign in to an MCP server', async () => {
    const provider_id = `mcp-${crypto.randomUUID()}`;
    const provider = await server.client.controlPlane.oauthProviders.discoverMcp({
      body: { provider_id, name: 'An MCP server', mcp_server_url: idp.url },
    });
    assert.equal(provider.auth_url, idp.authUrl);
    assert.equal(provider.token_url, idp.tokenUrl);
    assert.equal(provider.is_dynamic_client, true);
    assert.equal(provider.uses_pkce, true);
    const begun = await authenticate({ provider: provider_id, scopes: ['openid'], user_id: 'dan' });
    assert.match(await consent(begun.url ?? '', 'dan'), /Signed in to An MCP server/);
    assert.equal((await wait(begun.auth_id ?? '', 5)).status, 'completed');
  });

  it('leaves no readable secret in the database, the log, or an answer', async () => {
    await server.stop();
    const files = ['state.db', 'state.db-wal', 'traces.db', 'traces.db-wal'];
    const contents = await Promise.all(
      files.map((file) => readFile(path.join(server.dataDir, file), 'latin1').catch(() => '')),
    );
    assert.ok(handedOut.size > 2);
    for (const text of [...contents, await server.log()]) {
      for (const secret of [idp.clientSecret, ...handedOut]) assert.ok(!text.includes(secret));
    }
    await server.start();
  });
});
