import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readLanggraphDevFolder } from '../../../src/cli/archive/langgraph-dev-folder.ts';
import { PickledObject, PickleError, readPickle } from '../../../src/cli/archive/pickle.ts';
import { UniqueVersions } from '../../../src/cli/archive/unique-versions.ts';
import { collect } from '../../../src/cli/tracing/collect.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const peer = resolve(import.meta.dirname, '../../fixtures/langgraph-dev/python');
const pickle = (text: string) => Buffer.from(text, 'latin1');

describe('a Python pickle', () => {
  it('is read as data', async () => {
    const storage = readPickle(await readFile(join(peer, '.langgraph_checkpoint.1.pckl')));
    assert.ok(storage instanceof Map);
    assert.equal(storage.size, 2);
    assert.deepEqual(
      readPickle(pickle('\x80\x02}q\x00(X\x01\x00\x00\x00aK\x07X\x01\x00\x00\x00b\x8a\x02\xff\xffu.')),
      new Map<string, unknown>([
        ['a', 7],
        ['b', -1n],
      ]),
    );
  });

  it('never runs code from the file', () => {
    const ran = join(import.meta.dirname, 'ran-by-a-pickle');
    const command = `touch ${ran}`;
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(command));
    const hostile = readPickle(
      pickle(`\x80\x02cposix\nsystem\nX${length.toString('latin1')}${command}\x85R.`),
    );
    assert.ok(hostile instanceof PickledObject);
    assert.deepEqual([hostile.name, hostile.args], ['posix.system', [command]]);
    assert.ok(!existsSync(ran));
  });

  it('is refused with an error when truncated, unknown or malformed', () => {
    for (const text of [
      '',
      '\x80\x02}',
      '\x80\x05.',
      'h\x01.',
      '.',
      'a.',
      '(.t',
      'X\xff\xff\xff\xff',
      'cno newline',
      '\xff',
    ]) {
      assert.throws(() => readPickle(pickle(text)), PickleError, JSON.stringify(text));
    }
  });

  it('skips threads whose values need unpickling, and lists them', async () => {
    await using folder = await temporaryFolder();
    for (const name of ['checkpoint.1', 'checkpoint.2', 'checkpoint.3', 'ops']) {
      const bytes = await readFile(join(peer, `.langgraph_${name}.pckl`));
      const text = bytes.toString('latin1');
      // The type tag of one thread's values, in the file that holds values.
      const altered =
        name === 'checkpoint.3' ? text.replace('X\x07\x00\x00\x00msgpack', 'X\x06\x00\x00\x00pickle') : text;
      await writeFile(join(folder.path, `.langgraph_${name}.pckl`), Buffer.from(altered, 'latin1'));
    }
    const said: string[] = [];
    const lines = await collect(
      await readLanggraphDevFolder(folder.path, { onUnsupported: (sentence) => said.push(sentence) }),
    );
    assert.match(
      said.join('\n'),
      /Skipped thread [0-9a-f-]{36}: it contains pickled values, which are never loaded \(pickle\)/,
    );
    assert.ok(lines.filter(({ kind }) => kind === 'thread').length < 2);
  });
});

describe('versions of channels from a server that counts them', () => {
  it('are unchanged while each has one value', () => {
    const versions = new UniqueVersions();
    const first = versions.at('1', undefined);
    assert.deepEqual(first.version('a', 1, 'x'), { version: 1, isNew: true });
    const second = versions.at('2', '1');
    assert.deepEqual(second.version('a', 1, 'x'), { version: 1, isNew: false });
    assert.deepEqual(second.version('a', 2, 'y'), { version: 2, isNew: true });
  });

  it('get a fraction on a branch where they are already used, and keep it', () => {
    const versions = new UniqueVersions();
    versions.at('1', undefined).version('a', 1, 'x');
    versions.at('2', '1').version('a', 2, 'y');
    const fork = versions.at('3', '1');
    const { version, isNew } = fork.version('a', 2, 'z');
    assert.ok(isNew && typeof version === 'number' && version > 2 && version < 3);
    const child = versions.at('4', '3');
    assert.deepEqual(child.version('a', 2, 'z'), { version, isNew: false });
    assert.deepEqual(child.rename({ a: 2, b: 5 }), { a: version, b: 5 });
    assert.deepEqual(versions.at('5', '2').rename({ a: 2 }), { a: 2 });
  });
});
