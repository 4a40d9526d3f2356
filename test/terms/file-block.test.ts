import assert from 'node:assert/strict';
import { fileBlock } from '../../src/terms/file-block.ts';

describe('a file in a message', () => {
  it('is an image when its type says so, with its bytes or its address', () => {
    assert.deepEqual(fileBlock({ mime: 'image/png', base64: 'AA==', name: 'a.png' }), {
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,AA==' },
    });
    assert.deepEqual(fileBlock({ mime: 'image/png', url: 'https://a.test/b' }), {
      type: 'image_url',
      image_url: { url: 'https://a.test/b' },
    });
  });

  it('is a sound, a video or another file if it is no image, with its name if it has one', () => {
    assert.deepEqual(fileBlock({ mime: 'audio/wav', base64: 'AA==', name: 'a.wav' }), {
      type: 'audio',
      source_type: 'base64',
      data: 'AA==',
      mime_type: 'audio/wav',
      metadata: { filename: 'a.wav' },
    });
    assert.deepEqual(fileBlock({ url: 'https://a.test/b' }), {
      type: 'file',
      source_type: 'url',
      url: 'https://a.test/b',
      mime_type: 'application/octet-stream',
    });
  });
});
