import assert from 'node:assert/strict';
import { isAbsolute, resolve } from 'node:path';
import { defaultDataDir } from '../../src/launcher/data-dir.ts';

describe('the data folder', () => {
  it('is the operating system’s default, the same for every client', () => {
    const folder = defaultDataDir({});
    assert.ok(isAbsolute(folder));
    assert.match(folder, /agent-harbor/);
    assert.equal(defaultDataDir({}), folder);
  });

  it('is taken from the environment if set', () => {
    assert.equal(defaultDataDir({ AGENT_HARBOR_DATA_DIR: 'elsewhere' }), resolve('elsewhere'));
  });
});
