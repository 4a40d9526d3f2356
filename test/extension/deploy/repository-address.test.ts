import assert from 'node:assert/strict';
import { repositoryAddress } from '../../../src/extension/deploy/repository-address.ts';

describe('the address of a repository for a remote platform', () => {
  const addresses = {
    'git@github.com:octo/agent.git': 'https://github.com/octo/agent',
    'github.com:octo/agent.git': 'https://github.com/octo/agent',
    'example.com:group/agent.git': 'ssh://git@example.com/group/agent.git',
    'git@example.com:/srv/git/agent.git': 'ssh://git@example.com/srv/git/agent.git',
    '10.0.0.1:agent.git': 'ssh://git@10.0.0.1/agent.git',
    'https://example.com:8443/agent.git': 'https://example.com:8443/agent.git',
    'https://user:token@example.com/agent.git': 'https://example.com/agent.git',
    'C:\\repositories\\agent': undefined,
    'C:/repositories/agent': undefined,
    '../agent': undefined,
    'http://example.com/agent.git': undefined,
  };
  for (const [remoteUrl, address] of Object.entries(addresses)) {
    it(`is ${address ?? 'missing'} for the remote ${remoteUrl}`, () => {
      const state = { top: '/agent', commit: 'abc', branch: 'main', remoteUrl };
      assert.equal(repositoryAddress(state, 'remote'), address);
    });
  }
});
