import assert from 'node:assert/strict';
import { controlPlaneEndpoints } from '../../support/control-plane/endpoints.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { fuzz, internalErrors } from '../../support/fuzz.ts';

// Resources that other endpoints are about are deleted last.
const endpoints = controlPlaneEndpoints.toSorted(
  (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
);

describe('the control plane', function () {
  this.timeout(300_000);
  let server: ServerProcess;
  const known: string[] = ['github', 'workspace', 'internal_source', 'idp', 'an agent', 'main'];

  before(async () => {
    // Nobody is asked: GitHub and OAuth providers are addresses of this machine where nobody listens.
    server = await serverProcess({ args: ['--github-api', 'http://127.0.0.1:9'] });
    const { client } = server;
    const deployment = await client.deployments.create({
      body: { name: 'fuzzed', source: 'internal_source', source_config: {}, source_revision_config: {} },
    });
    const provider = await client.controlPlane.oauthProviders.create({
      body: {
        provider_id: 'idp',
        name: 'A provider',
        client_id: 'c',
        auth_url: 'http://127.0.0.1:9/auth',
        token_url: 'http://127.0.0.1:9/token',
      },
    });
    const listener = await client.controlPlane.listeners.create({
      body: { compute_type: 'k8s', compute_id: 'c', compute_config: {} },
    });
    known.push(deployment.id, deployment.latest_revision_id ?? '', provider.id, listener.id);
  });
  after(() => server?.[Symbol.asyncDispose]());

  for (const endpoint of endpoints) {
    it(`answers whatever is sent to ${endpoint.method} ${endpoint.path} with a reason, never a failure of its own`, () =>
      fuzz(endpoint, {
        url: server.baseUrl,
        known,
        headers: { 'x-api-key': server.apiKey },
        asksOthers: true,
        runs: Number(process.env.FUZZ_RUNS ?? 20),
      }));
  }

  it('still works after whatever was sent to it, and has logged no internal error', async () => {
    assert.equal((await server.fetch('/v2/deployments')).status, 200);
    assert.deepEqual(internalErrors(await server.log()), []);
  });
});
