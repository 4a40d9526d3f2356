import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ProjectError, readProject } from '../../../../src/server/runtimes/project/project.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

async function project(config: string, files: Record<string, string> = {}) {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries({ 'langgraph.json': config, ...files })) {
    await writeFile(path.join(folder.path, name), text);
  }
  return await readProject(path.join(folder.path, 'langgraph.json'), {});
}

function refusal(pattern: RegExp, line?: number, column?: number) {
  return (error: unknown) => {
    assert.ok(error instanceof ProjectError);
    assert.match(error.message, pattern);
    if (line !== undefined) assert.equal(error.location?.line, line);
    if (column !== undefined) assert.equal(error.location?.column, column);
    return true;
  };
}

describe('a langgraph.json', () => {
  it('names graphs by path, with or without a description', async () => {
    const read = await project(
      '{"graphs":{"a":"./a.ts:graph","b":{"path":"./b.js:make","description":"B"}}}',
    );
    assert.deepEqual(read.graphs, {
      a: { path: './a.ts:graph' },
      b: { path: './b.js:make', description: 'B' },
    });
    assert.deepEqual([...read.languages], ['node']);
  });

  it('has the languages of its graphs', async () => {
    const read = await project('{"graphs":{"a":"./a.mts:graph","b":"./b.py:graph","c":"pkg.mod:graph"}}');
    assert.deepEqual([...read.languages].toSorted(), ['node', 'python']);
  });

  it('reads its env file or its variables', async () => {
    const file = await project('{"graphs":{"a":"./a.ts:g"},"env":".env"}', {
      '.env': '# note\nKEY="a b"\nOTHER=2\n',
    });
    assert.deepEqual(file.env, { KEY: 'a b', OTHER: '2' });
    const inline = await project('{"graphs":{"a":"./a.ts:g"},"env":{"KEY":"x"}}');
    assert.deepEqual(inline.env, { KEY: 'x' });
  });

  it('that is not valid JSON is refused with its location', async () => {
    await assert.rejects(
      project('{\n  "graphs": {,}\n}'),
      refusal(/langgraph\.json:2:14: Not valid JSON: Property expected/, 2, 14),
    );
  });

  it('may have a byte order mark, as may its env file', async () => {
    const read = await project('\uFEFF{\r\n"graphs": {"a": "./a.ts:g"},\r\n"env": ".env"\r\n}\r\n', {
      '.env': '\uFEFFKEY=first\r\nMULTI="one\r\ntwo"\r\n',
    });
    assert.deepEqual(read.env, { KEY: 'first', MULTI: 'one\ntwo' });
  });

  it('with comments is refused with an explanation', async () => {
    await assert.rejects(
      project('{\n  // mine\n  "graphs": {"a": "./a.ts:g"}\n}'),
      refusal(/langgraph\.json:2:3: Not valid JSON: Comments are not permitted in JSON\.$/, 2, 3),
    );
  });

  it('without graphs, or with a graph without export, is refused with its location', async () => {
    await assert.rejects(project('{"node_version":"20"}'), refusal(/'graphs'/, 1));
    await assert.rejects(project('{"graphs":{}}'), refusal(/:1:11: Must not be empty\.$/, 1));
    await assert.rejects(
      project('{\n "graphs": {\n  "a": "./a.ts"\n }\n}'),
      refusal(/an export, such as \.\/src\/agent\.ts:graph or \.\/src\/agent\.py:graph/, 3, 8),
    );
  });

  it('works without its env file, and says how to create it', async () => {
    const config = '{"graphs":{"a":"./a.ts:g"},\n"env":".env"}';
    const bare = await project(config);
    assert.deepEqual(bare.env, {});
    assert.match(bare.missingEnv ?? '', /^Env file \.env not found, .*: create it, or change 'env'\.$/);
    const cloned = await project(config, { '.env.example': 'KEY=' });
    assert.match(
      cloned.missingEnv ?? '',
      /, so KEY is not set: copy \.env\.example to \.env and fill it in\.$/,
    );
    const filled = await project(config, { '.env.example': 'KEY=', '.env': 'KEY=1' });
    assert.equal(filled.missingEnv, undefined);
  });

  it('whose env file cannot be read is refused with its location', async () => {
    await assert.rejects(
      project('{"graphs":{"a":"./a.ts:g"},\n"env":"."}'),
      refusal(/json:2:8: \. is a folder, not an env file\.$/, 2),
    );
  });

  it('whose env file has a line that is not a variable is refused with the place of that line', async () => {
    await assert.rejects(
      project('{"graphs":{"a":"./a.ts:g"},"env":".env"}', { '.env': 'A=1\n\nbad line here\n' }),
      refusal(/\.env:3:1: Not a variable\. Write NAME=value, or # before a comment\.$/, 3),
    );
  });

  it('that does not exist is refused with an error that names its path', async () => {
    await assert.rejects(
      readProject(path.join(import.meta.dirname, 'none', 'langgraph.json'), {}),
      refusal(/^File not found: .*none[\\/]langgraph\.json\.$/),
    );
  });

  if (process.platform !== 'win32') {
    it('that cannot be read since too many files are open is refused with how to raise the limit', async () => {
      const program = `import { openSync } from 'node:fs';
        const { readProject } = await import(process.argv[1]);
        try { for (;;) openSync('/dev/null'); } catch {}
        await readProject(process.argv[2], {}).catch(({ message }) => console.log(message));`;
      const { stdout } = await promisify(execFile)('sh', [
        ...['-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath],
        ...['--input-type=module', '--eval', program],
        path.join(import.meta.dirname, '../../../../src/server/runtimes/project/project.ts'),
        import.meta.filename,
      ]);
      assert.match(
        stdout,
        /^Could not read .*: Only 64 files can be open at the same time\. Raise the limit/,
      );
    });
  }
});
