import assert from 'node:assert/strict';
import { mergeEnvironments } from '../../src/process/merge-environments.ts';

describe('the environment of a program', () => {
  const inherited = { PATH: 'C:\\system', Http_Proxy: 'http://a', HOME: 'C:\\ada' };
  const own = { Path: 'C:\\project', HTTP_PROXY: 'http://b' };

  it('has each variable once on Windows, where names ignore case: the last one', () => {
    assert.deepEqual(mergeEnvironments([inherited, own], 'win32'), {
      Path: 'C:\\project',
      HTTP_PROXY: 'http://b',
      HOME: 'C:\\ada',
    });
    const again = { path: 'C:\\again' };
    assert.deepEqual(mergeEnvironments([inherited, own, again], 'win32').path, 'C:\\again');
  });

  it('has names that differ only in case on other systems', () => {
    assert.deepEqual(mergeEnvironments([inherited, own], 'linux'), { ...inherited, ...own });
  });
});
