import assert from 'node:assert/strict';
import { sourceLabel, statusLabel } from '../../src/extension/wording/revision-labels.ts';

describe('a revision in words', () => {
  it('has its status in lower-case words', () => {
    assert.deepEqual(['BUILD_FAILED', 'AWAITING_DEPLOY', 'DEPLOYED', 'SOMETHING_NEW'].map(statusLabel), [
      'build failed',
      'waiting to deploy',
      'deployed',
      'something new',
    ]);
  });

  it('has its reference and commit, and how many files were not committed', () => {
    const commit = { repo_commit_sha: '62b7213a0d5c1e2f3a4b5c6d7e8f901234567890' };
    const words = (config: Parameters<typeof sourceLabel>[0]['source_revision_config']) =>
      sourceLabel({ source_revision_config: config });
    assert.equal(words({ ...commit, repo_ref: 'refs/heads/main' }), 'main 62b7213');
    assert.equal(words({ ...commit, repo_ref: commit.repo_commit_sha }), '62b7213');
    assert.equal(words({ ...commit, uncommitted_changes: 1 }), '62b7213 + 1 change');
    assert.equal(words({ ...commit, uncommitted_changes: 2 }), '62b7213 + 2 changes');
    assert.equal(words({}), undefined);
  });
});
