import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { followLines } from '../../../../src/server/runtimes/output/output-lines.ts';

describe('the lines of a process’s output', () => {
  async function linesOf(...chunks: string[]): Promise<string[]> {
    const stream = new PassThrough();
    const lines: string[] = [];
    followLines(stream, (line) => lines.push(line));
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
    await new Promise((resolve) => stream.once('close', resolve));
    return lines;
  }

  it('include empty ones, and the rest without a line end', async () => {
    assert.deepEqual(await linesOf('a\r\n\nb', 'c\nd'), ['a', '', 'bc', 'd']);
  });

  it('are divided if they are long, whether or not their end has arrived', async () => {
    const long = `${'a'.repeat(16_384)}${'b'.repeat(16_384)}c`;
    for (const chunks of [[`${long}\nd\n`], [long, '\nd\n']]) {
      const lines = await linesOf(...chunks);
      assert.deepEqual(
        lines.filter((line) => line !== '').map((line) => [line[0], line.length]),
        [
          ['a', 16_384],
          ['b', 16_384],
          ['c', 1],
          ['d', 1],
        ],
      );
    }
  });

  it('are divided between characters', async () => {
    const [first, second] = await linesOf(`${'a'.repeat(16_383)}😀b\n`);
    assert.deepEqual([first?.endsWith('😀'), second], [true, 'b']);
  });
});
