import assert from 'node:assert/strict';
import { decodeText } from '../../src/project/read-text.ts';

describe('the text of a file', () => {
  const text = 'KEY=größe 用\r\n';

  it('is read from UTF-8, with a byte order mark or without', () => {
    assert.equal(decodeText(Buffer.from(text)), text);
    assert.equal(decodeText(Buffer.from(`\uFEFF${text}`)), text);
    assert.equal(decodeText(Buffer.alloc(0)), '');
  });

  it('is read from UTF-16, as Windows PowerShell writes it', () => {
    const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
    assert.equal(decodeText(little), text);
    assert.equal(decodeText(Buffer.from(little).swap16()), text);
  });
});
