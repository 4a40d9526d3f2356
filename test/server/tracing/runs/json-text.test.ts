import assert from 'node:assert/strict';
import { parseJson } from '../../../../src/server/tracing/runs/json-text.ts';
import { RunRefused } from '../../../../src/server/tracing/runs/refusal.ts';

const read = (text: string) => parseJson(Buffer.from(text), 'it');
const deep = (levels: number, inner: string) => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

describe('JSON from outside', () => {
  it('may be nested 512 levels deep and no deeper', () => {
    assert.ok(read(deep(512, '1')));
    assert.throws(() => read(deep(513, '1')), RunRefused);
    assert.throws(() => read(`{"a": "${'x'.repeat(1000)}", "b": ${deep(600, '1')}}`), /nested deeper/);
  });

  it('may contain any brackets and escapes in strings of any length', () => {
    for (const before of ['', 'x'.repeat(10), 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(200)]) {
      for (const escapes of ['', '\\', '\\\\', '"', '\\"', '\\\\"', '"\\', '\\\\\\"']) {
        const value = { text: `${before}${escapes}${'['.repeat(600)}${escapes}`, after: [1] };
        assert.deepEqual(read(JSON.stringify(value)), value);
      }
    }
  });

  it('is refused when a string is not closed', () => {
    assert.throws(() => read(`{"a": "${'x'.repeat(600)}`), /not valid JSON/);
    assert.throws(() => read(`{"a": "${'x'.repeat(600)}\\"`), /not valid JSON/);
  });
});
