import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { columnsOfFile } from '../../src/example-files/columns-of-file.ts';
import type { ExampleColumns } from '../../src/example-files/example-of-row.ts';
import { readExamples } from '../../src/example-files/read-examples.ts';

async function read(text: string, format: 'csv' | 'jsonl', columns: ExampleColumns) {
  const source = Readable.from([text]);
  const examples = [];
  for await (const example of readExamples(source, { format, columns, keepIds: false })) {
    examples.push([example.inputs, example.outputs]);
  }
  return examples;
}

describe('a file of examples', () => {
  it('restores the signs that an export escaped for spreadsheets', async () => {
    const csv = "input.q,output.a,metadata\n'- a list,-5,{}\n''=quoted,'plain,{}\n";
    assert.deepEqual(await read(csv, 'csv', {}), [
      [{ q: '- a list' }, { a: '-5' }],
      [{ q: "'=quoted" }, { a: "'plain" }],
    ]);
  });

  it('is refused if a row of CSV has more fields than there are columns', async () => {
    const columns = { inputs: ['input'] };
    await assert.rejects(
      read('input\nbye\nhello, world\n', 'csv', columns),
      /Row 2 has more fields than there are columns/,
    );
    assert.deepEqual(await read('input\n"hello, world"\n', 'csv', columns), [
      [{ input: 'hello, world' }, null],
    ]);
    const trailing = await read('input\nbye,,\n', 'csv', columns);
    assert.deepEqual(trailing, [[{ input: 'bye' }, null]], 'empty fields lose nothing');
  });

  it('is refused if a named CSV column is missing, while JSON lines may omit fields', async () => {
    const columns = { inputs: ['q'], outputs: ['a'] };
    await assert.rejects(read('q,answer\n1,2\n', 'csv', columns), /Row 1 has no 'a'; it has q, answer/);
    assert.deepEqual(await read('{"q": 1}\n', 'jsonl', columns), [[{ q: 1 }, {}]]);
  });

  it('is refused with the field that is wrong, not as a row of other columns', async () => {
    const wrong = '{"inputs": {"q": 1}, "outputs": "text"}\n';
    await assert.rejects(read(wrong, 'jsonl', {}), /^ExampleFileError: Row 1: outputs: /);
    assert.deepEqual(await read(wrong, 'jsonl', { inputs: ['inputs'], outputs: ['outputs'] }), [
      [{ inputs: { q: 1 } }, { outputs: 'text' }],
    ]);
    await assert.rejects(
      read('input.q,metadata\n1,draft\n', 'csv', {}),
      /Row 1: metadata must be a JSON object/,
    );
    assert.deepEqual(await read('input.q,metadata\n1,\n', 'csv', {}), [[{ q: '1' }, null]]);
  });

  it('may begin with a byte order mark, as programs on Windows write it', async () => {
    const example = '{"inputs": {"q": 1}, "outputs": {"a": 2}}\n';
    assert.deepEqual(await read(`\uFEFF${example}`, 'jsonl', {}), [[{ q: 1 }, { a: 2 }]]);
    assert.equal(await columnsOfFile(() => Readable.from([`\uFEFF${example}`]), 'jsonl'), undefined);
    assert.deepEqual(await columnsOfFile(() => Readable.from(['\uFEFFq,a\n1,2\n']), 'csv'), ['q', 'a']);
    assert.deepEqual(await read('\uFEFFq,a\n1,2\n', 'csv', { inputs: ['q'] }), [[{ q: '1' }, null]]);
  });

  it('is refused with the number of the line that is nested too deeply', async () => {
    const deep = `{"inputs": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await assert.rejects(read(`{"inputs": {}}\n${deep}\n`, 'jsonl', {}), {
      name: 'ExampleFileError',
      message: 'Line 2 is nested more than 512 levels deep.',
    });
  });

  it('is refused as CSV without a row, such as one with only quotes', async () => {
    for (const text of ['"""""""', '""""""', '"', 'q,a\n']) {
      await assert.rejects(read(text, 'csv', {}), /The file has no rows\./, text);
    }
  });
});
