import assert from 'node:assert/strict';
import { fileName, mimeTypeOf } from '../../../src/extension/documents/file-types.ts';

describe('the name of a file in a message', () => {
  it('ends with the extension that VS Code opens its type with', () => {
    const names = {
      'image/jpeg': 'a.jpg',
      'image/svg+xml': 'a.svg',
      'text/plain;charset=utf-8': 'a.txt',
      'Text/Markdown; charset="utf-8"': 'a.md',
      'audio/mpeg': 'a.mp3',
      'audio/mp4': 'a.m4a',
      'video/quicktime': 'a.mov',
      'application/octet-stream': 'a.bin',
      'text/css': 'a.css',
      'application/vnd.api+json': 'a.json',
      unknown: 'a.bin',
    };
    for (const [mime, name] of Object.entries(names)) assert.equal(fileName('a', mime), name, mime);
  });

  it('keeps its own extension, and no separators of folders', () => {
    assert.equal(fileName('notes.md', 'text/plain'), 'notes.md');
    assert.equal(fileName('../a/b', 'image/png'), '.._a_b.png');
  });
});

describe('the type of a file', () => {
  it('is found by its extension, whatever its case', () => {
    assert.equal(mimeTypeOf('Photo.JPEG'), 'image/jpeg');
    assert.equal(mimeTypeOf('archive.xyz'), 'application/octet-stream');
  });
});
