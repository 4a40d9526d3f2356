import assert from 'node:assert/strict';
import { DeploymentAddresses } from '../../../src/server/team/deployment-addresses.ts';

const ID = '0198c7a1-2b3c-7d4e-8f50-1a2b3c4d5e6f';

describe('the addresses of a deployment of a team', () => {
  const below = new DeploymentAddresses('https://agents.example.com/harbor');
  const hosts = new DeploymentAddresses('https://agents.example.com', 'https://*.agents.example.com:8443');
  const read = (addresses: DeploymentAddresses, host: string, url: string) =>
    addresses.read({ headers: { host }, url });

  it('are the ones that its clients get', () => {
    assert.equal(below.urlOf(ID), `https://agents.example.com/harbor/d/${ID}`);
    assert.equal(hosts.urlOf(ID), `https://${ID}.agents.example.com:8443`);
  });

  it('are paths of the platform, whatever it is called', () => {
    for (const addresses of [below, hosts]) {
      const asked = { deploymentId: ID, url: '/threads?limit=1' };
      assert.deepEqual(read(addresses, 'any.example.org', `/d/${ID.toUpperCase()}/threads?limit=1`), asked);
      assert.deepEqual(read(addresses, '10.0.0.1:8000', `/d/${ID}?limit=1`), {
        deploymentId: ID,
        url: '/?limit=1',
      });
      assert.equal(read(addresses, 'any.example.org', `/d/${ID}0/threads`), undefined);
      assert.equal(read(addresses, 'any.example.org', '/v2/deployments'), undefined);
    }
  });

  it('are separate hosts only if these are configured', () => {
    const host = `${ID}.agents.example.com`;
    assert.equal(read(below, host, '/threads'), undefined);
    for (const named of [host, `${host}:8443`, `${host.toUpperCase()}:80`])
      assert.deepEqual(read(hosts, named, '/threads?a=1'), { deploymentId: ID, url: '/threads?a=1' });
  });

  it('are not those of similar hosts', () => {
    for (const host of [
      'agents.example.com',
      `x.${ID}.agents.example.com`,
      `${ID}x.agents.example.com`,
      `${ID}.agentsxexample.com`,
      `${ID}.agents.example.com.evil.example`,
      `${ID}.agents.example.com:8443x`,
    ])
      assert.equal(read(hosts, host, '/threads'), undefined, host);
  });

  it('belong to the deployment of the host, even if the path names another one', () => {
    const other = crypto.randomUUID();
    const url = `/d/${other}/threads`;
    assert.deepEqual(read(hosts, `${ID}.agents.example.com`, url), { deploymentId: ID, url });
  });
});
