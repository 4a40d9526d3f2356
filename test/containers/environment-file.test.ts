import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { writeEnvironmentFile } from '../../src/containers/environment-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the variables of a container', () => {
  it('are in a file, except those with several lines', async () => {
    await using folder = await temporaryFolder();
    const variables = { PLAIN: 'a b=c', KEY: 'line one\nline two', 'npm_config_//host/:_token': 't' };
    const file = await writeEnvironmentFile(folder.path, 'name', variables);
    assert.equal(await readFile(file.path, 'utf8'), 'PLAIN=a b=c\nnpm_config_//host/:_token=t\n');
    assert.deepEqual(file.others, { KEY: 'line one\nline two' });
    await file.remove();
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('are refused if neither the file nor the environment of the tool can have them', async () => {
    await using folder = await temporaryFolder();
    for (const value of ['say "hi"', 'line one\nline two', 'x'.repeat(30_001)]) {
      const writing = writeEnvironmentFile(folder.path, 'name', { DOCKER_X: value });
      await assert.rejects(
        writing,
        /^ContainerToolError: DOCKER_X cannot contain line breaks or quotes, or/,
        value,
      );
    }
  });

  it('never have names that would pass on variables of the server', async () => {
    await using folder = await temporaryFolder();
    for (const [name, value] of [
      // Container tools take the value of a line without one from their own environment.
      ['AGENT_HARBOR_SECRETS_KEY\nX', 'y'],
      ['AGENT_HARBOR_SECRETS_KEY\rX', 'y'],
      // Podman takes all variables that begin like this.
      ['AGENT_HARBOR_*', 'line one\nline two'],
      ['*', '"'],
      // A shell script that wraps a tool mistakes it for a function.
      ['BASH_FUNC_exec%%', '() {\n:\n}'],
      ['#comment', 'x'],
      ['', 'x'],
    ] as const) {
      const writing = writeEnvironmentFile(folder.path, 'name', { [name]: value });
      await assert.rejects(writing, /cannot be the name of a variable/, name);
    }
    assert.deepEqual(await readdir(folder.path), []);
  });
});
