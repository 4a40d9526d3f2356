import assert from 'node:assert/strict';
import { RowDigest, readInteger, type Value } from '../../../../src/server/team/moving/row.ts';

function digestOf(value: Value): string {
  const digest = new RowDigest();
  digest.add({ value }, [{ name: 'value', keyPlace: 0 }]);
  return digest.end();
}

describe('the digest of rows', () => {
  it('is the same for the classes in which databases return a value', () => {
    assert.equal(digestOf(5n), digestOf(5));
    assert.equal(digestOf(new Uint8Array([1])), digestOf(Buffer.from([1])));
  });

  it('differs for different values, also for integers that numbers cannot tell apart', () => {
    const values: Value[] = [
      null,
      0,
      '0',
      '',
      2n ** 53n,
      2n ** 53n + 1n,
      -(2n ** 53n) - 1n,
      '9007199254740993',
    ];
    assert.equal(new Set(values.map(digestOf)).size, values.length);
  });
});

describe('an integer of PostgreSQL', () => {
  it('is read exactly', () => {
    const texts = ['0', '-1', '9007199254740991', '9007199254740993', '-9223372036854775808'];
    assert.deepEqual(
      texts.map((text) => String(readInteger(text))),
      texts,
    );
    assert.equal(readInteger('5'), 5);
  });
});
