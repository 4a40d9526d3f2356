import assert from 'node:assert/strict';
import { gitMetadataOf } from '../../src/evaluation/git-metadata.ts';

describe('the git metadata of an experiment', () => {
  it('has the URL of the remote without its credentials', () => {
    const remoteOf = (remoteUrl: string) => {
      const { git } = gitMetadataOf({
        ...{ top: '/', configPath: 'langgraph.json', isRepository: true, repository: '/.git' },
        ...{ commit: 'c0ffee', changed: 0, branch: 'main', unpushed: 0, remoteUrl },
      });
      return Object(git).remote_url;
    };
    const urls = ['https://host/acme.git', 'https://token@host/acme.git', 'https://user:p@ss@host/a@b.git'];
    assert.deepEqual(urls.map(remoteOf), [
      ...['https://host/acme.git', 'https://host/acme.git', 'https://host/a@b.git'],
    ]);
    assert.equal(remoteOf('git@host:acme.git'), 'git@host:acme.git');
  });
});
