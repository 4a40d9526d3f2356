import assert from 'node:assert/strict';
import { servedPath } from '../../../../src/server/agent-server/api/served-paths.ts';
import type { HttpConfig } from '../../../../src/server/runtimes/project/project-config.ts';

describe('a route that langgraph.json turns off', () => {
  const off: HttpConfig = {
    disable_store: true,
    disable_meta: true,
    disable_threads: true,
    mount_prefix: '/api',
  };
  const paths = ['/store/items', '/metrics', '/info', '/threads/search', '/threads', '/harbor/threads/x'];

  it('is off, however its path is spelled', () => {
    for (const path of paths)
      for (const spelled of [path, `/${path}`, `${path}/`, path.replaceAll('/', '///'), `${path}//?a=b`]) {
        assert.equal(servedPath(spelled, off), undefined, spelled);
        assert.equal(servedPath(`/api${spelled}`, off), undefined, spelled);
      }
  });

  it('does not affect others', () => {
    for (const path of ['/stores', '/threads/x/runs', '/threads/x/runs/', '/assistants/search', '/ok'])
      assert.equal(servedPath(path, off), path);
  });
});
