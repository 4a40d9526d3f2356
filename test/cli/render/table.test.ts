import assert from 'node:assert/strict';
import { details } from '../../../src/cli/render/details.ts';
import { type Column, table } from '../../../src/cli/render/table.ts';
import { Terminal } from '../../../src/cli/terminal/terminal.ts';

const { colors } = new Terminal({
  stdout: process.stdout,
  stderr: process.stderr,
  environment: { NO_COLOR: '1' },
});

interface Row {
  readonly id: string;
  readonly text: string;
  readonly none?: string;
}
const columns: readonly Column<Row>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'TEXT', cell: ({ text }) => text, flexible: true },
  { title: 'NONE', cell: ({ none = '' }) => none },
];
const rows = [
  { id: '0123456789', text: 'a ship\nin the harbor' },
  { id: '1', text: '漢字の船' },
];

describe('a table in the terminal', () => {
  it('has columns as wide as their widest cell, one line per row, and no empty column', () => {
    assert.deepEqual(table(columns, rows, { width: undefined, colors }), [
      'ID          TEXT',
      '0123456789  a ship in the harbor',
      '1           漢字の船',
    ]);
  });

  it('truncates flexible columns to fit, by the display width of characters', () => {
    assert.deepEqual(table(columns, rows, { width: 20, colors }), [
      'ID          TEXT',
      '0123456789  a ship …',
      '1           漢字の船',
    ]);
  });

  it('shows a block per row if it cannot fit, with whole IDs', () => {
    assert.deepEqual(table(columns, rows, { width: 16, colors }), [
      'ID    0123456789',
      'TEXT  a ship in…',
      '',
      'ID    1',
      'TEXT  漢字の船',
    ]);
  });

  it('shows whole texts of any length in a pipe, and their beginning in a terminal', () => {
    const text = 'a ship '.repeat(30_000).trim();
    const [, whole] = table(columns, [{ id: 'x', text }], { width: undefined, colors });
    assert.equal(whole, `x   ${text}`);
    const [, fits] = table(columns, [{ id: 'x', text }], { width: 20, colors });
    assert.equal(fits, 'x   a ship a ship a…');
  });

  it('shows no control sequences', () => {
    const [, line] = table(columns, [{ id: 'x', text: '\u001b[2Jgone' }], { width: undefined, colors });
    assert.equal(line, 'x   gone');
  });
});

describe('a resource in the terminal', () => {
  it('shows small objects on the line of their field and large ones below', () => {
    const large = { text: 'x'.repeat(60) };
    assert.deepEqual(details({ id: 'a', empty: {}, none: null, small: { b: 1 }, large }, colors), [
      'id     a',
      'small  {"b":1}',
      'large  {',
      `         "text": "${'x'.repeat(60)}"`,
      '       }',
    ]);
  });
});
