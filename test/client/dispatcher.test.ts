import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import request from 'undici/lib/api/api-request.js';
import { createDispatcher, type NetworkSettings } from '../../src/client/dispatcher.ts';
import { portOf } from '../../src/server/http/port-of.ts';
import { type HttpPeer, httpPeer, json } from '../support/http-peer.ts';

describe('the network settings of a host', () => {
  let target: HttpPeer;
  let proxyUrl: string;
  /** The addresses that clients requested from the proxy, with their credentials. */
  const asked: { readonly host: string | undefined; readonly authorization: string | undefined }[] = [];

  /** Connects every request to the target. */
  const proxy = createServer().on('connect', ({ url, headers }: IncomingMessage, client: Socket) => {
    asked.push({ host: url, authorization: headers['proxy-authorization'] });
    const upstream = connect(Number(new URL(target.url).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });

  before(async () => {
    target = await httpPeer((_request, response) => json(response, 200, { ok: true }));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    proxyUrl = `http://127.0.0.1:${portOf(proxy)}`;
  });
  after(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await target[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    asked.length = 0;
  });

  async function get(
    origin: string,
    environment: NodeJS.ProcessEnv,
    settings: NetworkSettings,
  ): Promise<number> {
    const dispatcher = createDispatcher(environment, settings);
    try {
      const { statusCode, body } = await request.call(dispatcher, { origin, path: '/', method: 'GET' });
      await body.dump();
      return statusCode;
    } finally {
      await dispatcher.destroy();
    }
  }

  it('use the configured proxy, with its authorization', async () => {
    const settings = { proxy: proxyUrl, proxyAuthorization: 'Basic eDp5' };
    assert.equal(await get('http://agents.example.com', {}, settings), 200);
    assert.deepEqual(asked, [{ host: 'agents.example.com:80', authorization: 'Basic eDp5' }]);
  });

  it('use a proxy whose address has no protocol, also from the environment', async () => {
    const proxy = new URL(proxyUrl).host;
    assert.equal(await get('http://agents.example.com', {}, { proxy }), 200);
    assert.equal(await get('http://agents.example.com', { HTTP_PROXY: proxy }, {}), 200);
    assert.equal(asked.length, 2);
  });

  it('are refused with a proxy that is not for HTTP, by its address without a password', () => {
    for (const [proxy, shown = proxy] of [
      ['socks4://127.0.0.1:1'],
      ['http://'],
      ['socks5://user:p@ss@127.0.0.1:1', 'socks5://127.0.0.1:1'],
    ]) {
      assert.throws(() => createDispatcher({ HTTPS_PROXY: proxy }), {
        message: `The address of the proxy must begin with http:// or https://, not '${shown}'. Change HTTPS_PROXY, HTTP_PROXY, or the proxy in the settings.`,
      });
    }
  });

  it('do not use the proxy for this machine and excluded hosts', async () => {
    assert.equal(await get(target.url, {}, { proxy: proxyUrl }), 200);
    const past = (environment: NodeJS.ProcessEnv, noProxy: string[]) =>
      assert.rejects(
        get('http://agents.invalid', environment, { proxy: proxyUrl, noProxy }),
        /ENOTFOUND|EAI_AGAIN/,
      );
    await past({}, ['agents.invalid']);
    await past({ NO_PROXY: 'agents.invalid' }, []);
    assert.deepEqual(asked, []);
  });

  it('can trust the operating system’s certificates, or all', async () => {
    assert.equal(await get(target.url, {}, { systemCertificates: true }), 200);
    assert.equal(await get(target.url, {}, { strictSsl: false }), 200);
  });

  it('do not change undici for others in the process', async () => {
    const { Agent } = await import('undici');
    assert.equal(typeof Agent.prototype.connect, 'function');
  });
});
