import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { discoverMcpProvider } from '../../../src/server/control-plane/oauth/mcp-discovery.ts';
import { HttpError } from '../../../src/server/http/errors.ts';
import { portOf } from '../../../src/server/http/port-of.ts';
import { type HttpPeer, httpPeer, json } from '../../support/http-peer.ts';

describe('finding out how to sign in to an MCP server', () => {
  for (const what of ['authorization server', 'registration address']) {
    it(`requests no ${what} that is neither https nor on this machine`, async () => {
      const elsewhere = 'http://mcp.example/';
      const server = createServer((request, response) => {
        const own = `http://127.0.0.1:${portOf(server)}`;
        response.setHeader('content-type', 'application/json');
        const issuer = what === 'authorization server' ? elsewhere : own;
        response.end(
          request.url?.includes('oauth-protected-resource')
            ? JSON.stringify({ resource: `${own}/`, authorization_servers: [issuer] })
            : JSON.stringify({
                issuer: own,
                authorization_endpoint: `${own}/authorize`,
                token_endpoint: `${own}/token`,
                registration_endpoint: elsewhere,
              }),
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const port = portOf(server);
        const asked = { provider_id: 'p', name: 'p', mcp_server_url: `http://127.0.0.1:${port}/` };
        await assert.rejects(discoverMcpProvider(asked, 'http://127.0.0.1/back'), (error) => {
          assert.ok(error instanceof HttpError && error.status === 400);
          assert.match(
            String(error.detail),
            /http:\/\/mcp\.example\/, which is neither https nor on this machine/,
          );
          return true;
        });
      } finally {
        server.close();
      }
    });
  }

  it('reports a server that does not answer in time as unreachable', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${portOf(server)}/`;
      const asked = { provider_id: 'p', name: 'p', mcp_server_url: url };
      await assert.rejects(discoverMcpProvider(asked, 'http://127.0.0.1/back', 50), (error) => {
        assert.ok(error instanceof HttpError && error.status === 502, String(error));
        return true;
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  describe('with a client that its authorization server has registered', () => {
    let client: object;
    let peer: HttpPeer;
    before(async () => {
      peer = await httpPeer(({ url, method }, response) => {
        if (method === 'POST') json(response, 201, client);
        else if (url.includes('oauth-protected-resource'))
          json(response, 200, { resource: `${peer.url}/`, authorization_servers: [peer.url] });
        else
          json(response, 200, {
            issuer: peer.url,
            authorization_endpoint: `${peer.url}/authorize`,
            token_endpoint: `${peer.url}/token`,
            registration_endpoint: `${peer.url}/register`,
          });
      });
    });
    after(() => peer[Symbol.asyncDispose]());

    const discover = (registered: object) => {
      client = { client_id: 'c', ...registered };
      const asked = { provider_id: 'p', name: 'p', mcp_server_url: `${peer.url}/` };
      return discoverMcpProvider(asked, 'http://127.0.0.1/back');
    };
    const secret = { client_secret: 's', client_secret_expires_at: 0 };

    for (const [what, registered, expected] of [
      ['sends the secret of a client whose method is not stated', secret, 'client_secret_basic'],
      [
        'uses the stated method',
        { ...secret, token_endpoint_auth_method: 'client_secret_post' },
        'client_secret_post',
      ],
      ['sends nothing for a client without a secret', {}, 'none'],
    ] as const) {
      it(what, async () => {
        assert.equal((await discover(registered)).token_endpoint_auth_method, expected);
      });
    }

    it('refuses a method that is not supported', async () => {
      await assert.rejects(discover({ token_endpoint_auth_method: 'private_key_jwt' }), {
        status: 400,
        message: /'private_key_jwt', which is not supported/,
      });
    });
  });
});
