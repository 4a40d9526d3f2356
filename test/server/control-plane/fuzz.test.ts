import { controlPlaneEndpoints } from '../../support/control-plane/endpoints.ts';
import { fuzzServer } from '../../support/fuzz-endpoints.ts';

describe('the control plane', function () {
  this.timeout(300_000);
  fuzzServer({
    endpoints: controlPlaneEndpoints,
    probe: '/v2/deployments',
    runs: 20,
    asksOthers: true,
    // No request leaves this machine: GitHub and OAuth providers are local addresses on which nothing
    // listens.
    args: ['--github-api', 'http://127.0.0.1:9'],
    fill: async ({ client }) => {
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
      const names = ['github', 'workspace', 'internal_source', 'idp', 'an agent', 'main'];
      const ids = [deployment.id, deployment.latest_revision_id ?? '', provider.id, listener.id];
      return [...names, ...ids];
    },
  });
});
