import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { discoverMcpProvider } from '../../../src/server/control-plane/oauth/mcp-discovery.ts';
import { HttpError } from '../../../src/server/http/errors.ts';
import { portOf } from '../../../src/server/http/port-of.ts';

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
});
