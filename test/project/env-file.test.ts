import assert from 'node:assert/strict';
import { EnvFileError, parseEnvFile } from '../../src/project/env-file.ts';

describe('an env file', () => {
  it('has variables, comments, and values of several lines', () => {
    const text = [
      '# comment',
      '',
      'A=1',
      'export B = two words # comment',
      'C="one',
      'two words',
      '# no comment"',
      'EMPTY=',
      'COLON: yes',
      "QUOTED='a=b'",
    ].join('\r\n');
    assert.deepEqual(Object.keys(parseEnvFile('.env', text)), ['A', 'B', 'C', 'EMPTY', 'COLON', 'QUOTED']);
  });

  for (const line of ['BROKEN LINE', 'NAME', '=value', 'two words=1', '"A"=1']) {
    it(`is refused for the line ${line}, by file and line`, () => {
      assert.throws(
        () => parseEnvFile('/project/.env', `A=1\n# comment\n${line}\nB="x\ny"\n`),
        (error) => error instanceof EnvFileError && error.message.startsWith('/project/.env:3 is not'),
      );
    });
  }
});
