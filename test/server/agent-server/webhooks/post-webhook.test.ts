import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import {
  postWebhook,
  type WebhookRequest,
} from '../../../../src/server/agent-server/webhooks/post-webhook.ts';
import { webhookLookup } from '../../../../src/server/agent-server/webhooks/webhook-policy.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { deploymentDatabase } from '../../../support/deployment-database.ts';
import { type HttpPeer, httpPeer } from '../../../support/http-peer.ts';
import { skip } from '../../../support/skip.ts';
import { eventually } from '../../../support/wait.ts';
import { webhookOutbox, webhookRow } from '../../../support/webhook-outbox.ts';

describe('a webhook that is posted', () => {
  let peer: HttpPeer;
  before(async () => {
    peer = await httpPeer((request, response) => {
      if (request.url === '/away') response.writeHead(307, { location: '/elsewhere' });
      response.end('x'.repeat(1_000_000));
    });
  });
  after(() => peer[Symbol.asyncDispose]());
  beforeEach(() => peer.seen.splice(0));

  const named = (path: string) => new URL(path, peer.url.replace('127.0.0.1', 'localhost'));
  const post = (address: URL, resolving: WebhookRequest['lookup'] = undefined) =>
    postWebhook({
      address,
      headers: { 'x-team': 'one' },
      body: '{"text":"größer"}',
      signal: AbortSignal.timeout(10_000),
      lookup: resolving,
    });

  it('has its headers and body, and does not follow a redirect', async () => {
    assert.equal(await post(named('/hook')), 200);
    assert.equal(await post(named('/away')), 307);
    assert.deepEqual(
      peer.seen.map(({ method, url, body }) => [method, url, body]),
      [
        ['POST', '/hook', '{"text":"größer"}'],
        ['POST', '/away', '{"text":"größer"}'],
      ],
    );
    const [first] = peer.seen;
    assert.equal(first?.headers['content-type'], 'application/json');
    assert.equal(first?.headers['x-team'], 'one');
  });

  it('makes no connection when its host resolves to this machine and that is not allowed', async () => {
    const address = named('/hook');
    const none = new Set<number>();
    const resolving = webhookLookup(address, { disable_loopback: true }, none);
    await assert.rejects(post(address, resolving), { name: 'WebhookRefusedError', message: /this machine/ });
    const ofOwnPort = webhookLookup(address, {}, new Set([Number(address.port)]));
    await assert.rejects(post(address, ofOwnPort), /port of this server/);
    assert.equal(peer.seen.length, 0);
    assert.equal(await post(address, webhookLookup(address, {}, none)), 200);
  });

  it('is given up when the name of its host leads to this machine', async function () {
    const name = hostname();
    const found = await lookup(name).catch(() => undefined);
    if (found?.address.startsWith('127.') !== true) skip(this, `${name} does not resolve to loopback here`);
    await using made = await deploymentDatabase();
    const log = new LogBook();
    const lines: string[] = [];
    log.follow(({ message }) => lines.push(message));
    const outbox = webhookOutbox(made.db, { log, rules: { disable_loopback: true } });
    const url = peer.url.replace('127.0.0.1', name);
    await made.db
      .insertInto('webhooks')
      .values(webhookRow(`${url}/hook`))
      .execute();
    outbox.start();
    await eventually(
      'it is given up',
      async () => (await made.db.selectFrom('webhooks').select('url').execute()).length === 0,
    );
    await outbox.close();
    assert.equal(peer.seen.length, 0);
    assert.match(lines.join('\n'), /webhooks\.url\.disable_loopback in langgraph\.json/);
  });
});
