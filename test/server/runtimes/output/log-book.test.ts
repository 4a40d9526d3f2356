import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { followLines } from '../../../../src/server/runtimes/output/output-lines.ts';
import { eventually } from '../../../support/wait.ts';

describe('the log of a deployment', () => {
  it('keeps the start of long lines, and as many lines as fit', () => {
    const log = new LogBook();
    for (let count = 0; count < 1_000; count++) log.write('INFO', `${count} ${'x'.repeat(1_000_000)}`);
    const kept = log.lines.reduce((sum, { message }) => sum + message.length, 0);
    assert.ok(kept < 10_000_000, String(kept));
    assert.match(log.lines.at(-1)?.message ?? '', /^999 x+ … \(\d+ more characters\)$/);
  });

  it('uses no memory for a stalled reader, which learns how many lines were dropped', async () => {
    const log = new LogBook();
    log.write('INFO', 'first');
    const gone = new AbortController();
    const reader = log.read(gone.signal);
    assert.deepEqual(
      (await reader.next()).value?.map(({ message }) => message),
      ['first'],
    );
    for (let count = 0; count < 5_000; count++) log.write('INFO', `line ${count}`);
    const next: string[] = (await reader.next()).value?.map(({ message }) => message) ?? [];
    assert.equal(next[0], '3000 lines were dropped here because they came faster than they were read.');
    assert.equal(next[1], 'line 3000');
    const rest = [...next];
    while (!rest.includes('line 4999'))
      rest.push(...((await reader.next()).value?.map(({ message }) => message) ?? []));
    assert.equal(rest.length, 2_001);
    const waiting = reader.next();
    log.write('INFO', 'last');
    assert.deepEqual(
      (await waiting).value?.map(({ message }) => message),
      ['last'],
    );
    const ended = reader.next();
    gone.abort();
    assert.equal((await ended).done, true);
  });

  it('is read from the newest attempt to load on, if asked', async () => {
    const log = new LogBook();
    log.write('INFO', 'long ago');
    log.beginLoad();
    log.write('INFO', 'loaded');
    const reader = log.read(new AbortController().signal, true);
    assert.deepEqual(
      (await reader.next()).value?.map(({ message }) => message),
      ['loaded'],
    );
  });

  it('shows text without an end of line soon, and whole lines at once', async () => {
    const stream = new PassThrough();
    const lines: string[] = [];
    followLines(stream, (line) => lines.push(line));
    stream.write('one\ntw');
    stream.write('o\r');
    stream.write('\nthree\r50 %\r');
    await eventually('the progress', () => lines.length === 4);
    stream.write('name? ');
    await eventually('the question', () => lines.length === 5);
    stream.end('x'.repeat(5));
    await eventually('the end', () => lines.length === 6);
    assert.deepEqual(lines, ['one', 'two', 'three', '50 %', 'name? ', 'xxxxx']);
  });
});
