import type { RunFileLine } from './run-file.ts';

/** Writes the text of a run file, line by line, and adds the line that marks its end. */
export async function* writeRunFile(
  lines: AsyncIterable<RunFileLine> | Iterable<RunFileLine>,
): AsyncGenerator<string, void, undefined> {
  let count = 0;
  for await (const line of lines) {
    count++;
    yield `${JSON.stringify(line)}\n`;
  }
  yield `${JSON.stringify({ kind: 'end', lines: count } satisfies RunFileLine)}\n`;
}
