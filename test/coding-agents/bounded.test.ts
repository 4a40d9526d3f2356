import assert from 'node:assert/strict';
import { bounded, fitting, MAX_ANSWER } from '../../src/coding-agents/bounded.ts';

const lengthOf = (value: unknown) => JSON.stringify(value).length;

describe('a value in an answer of a tool', () => {
  it('is whole when it fits', () => {
    const value = { messages: [{ content: 'x'.repeat(3_000) }], n: 1, none: null };
    assert.equal(bounded(value), value);
  });

  it('says how much was left out of texts, lists and objects', () => {
    assert.match(String(bounded('x'.repeat(10_000), 1_000)), /^x+ … \(\d+ more characters\)$/);
    const list = bounded(
      Array.from({ length: 500 }, (_, at) => `item ${at}`),
      1_000,
    );
    assert.ok(Array.isArray(list));
    assert.match(String(list.at(-1)), /^… \(\d+ more\)$/);
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key ${at}`, at]));
    assert.match(JSON.stringify(bounded(wide, 500)), /"…":"\d+ more"/);
  });

  it('is never longer than it may be, however large, deep or wide it is', () => {
    let deep: unknown = 'the end';
    for (let depth = 0; depth < 2_000; depth++) deep = depth % 2 === 0 ? [deep] : { down: deep };
    const values = [
      'x'.repeat(5_000_000),
      '\u0000"\\'.repeat(100_000),
      deep,
      Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => ['y'.repeat(500)])),
      Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`${'k'.repeat(300)}${at}`, { at }])),
    ];
    for (const value of values) {
      for (const max of [300, 1_000, MAX_ANSWER / 2]) {
        const cut = bounded(value, max);
        assert.ok(lengthOf(cut) <= max, `${lengthOf(cut)} of ${max}: ${JSON.stringify(cut).slice(0, 100)}`);
      }
    }
  });

  it('has as many items of a list as fit, and at least one', () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({ at, text: 'x'.repeat(100) }));
    const fit = fitting(rows, 2_000);
    assert.ok(fit.length > 10 && lengthOf(fit) <= 2_010, `${fit.length}`);
    assert.deepEqual(fitting(['x'.repeat(10_000), 'y'], 2_000).length, 1);
    assert.deepEqual(fitting([]), []);
  });
});
