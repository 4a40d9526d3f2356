import assert from 'node:assert/strict';
import { fileBlock } from '../../../src/terms/file-block.ts';
import { readMessage } from '../../../src/webviews/run/messages.ts';
import { attachmentOf, describe as inWords, isShowable } from '../../../src/webviews/shared/attachment.ts';

const data = Buffer.from('x'.repeat(152)).toString('base64');

/** The texts shown for blocks of content. */
function shown(...content: readonly unknown[]): string[] {
  return (readMessage({ type: 'ai', content })?.files ?? []).map(inWords);
}

describe('content of a message other than text', () => {
  it('is named in the formats of all providers', () => {
    assert.deepEqual(
      shown(
        { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
        { type: 'image_url', image_url: 'https://example.com/a.png' },
        { type: 'image', source_type: 'base64', mime_type: 'image/jpeg', data },
        { type: 'image', base64: data, mimeType: 'image/webp' },
        { type: 'image', source: { type: 'base64', media_type: 'image/gif', data } },
        { type: 'input_audio', input_audio: { data, format: 'wav' } },
        { type: 'file', file: { filename: 'plan.pdf', file_data: `data:application/pdf;base64,${data}` } },
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'Hello' },
          title: 'a.txt',
        },
        { type: 'file', source_type: 'text', text: 'Größe', mime_type: 'text/markdown' },
        { type: 'text-plain', text: 'Hello world' },
        { type: 'chart', points: [1, 2] },
        { type: 'constructor', points: [] },
      ),
      [
        'Image · PNG · 152 bytes',
        'Image · example.com',
        'Image · JPEG · 152 bytes',
        'Image · WEBP · 152 bytes',
        'Image · GIF · 152 bytes',
        'Audio · WAV · 152 bytes',
        'plan.pdf · PDF · 152 bytes',
        'a.txt · PLAIN · 5 bytes',
        'File · MARKDOWN · 7 bytes',
        'File · PLAIN · 11 bytes',
        'chart',
        'constructor',
      ],
    );
  });

  it('has its type without parameters, however it is written', () => {
    const file = attachmentOf({ type: 'file', mime_type: 'Text/Plain; charset=utf-8', data });
    assert.equal(file?.mime, 'text/plain');
    const picture = attachmentOf({ type: 'image', mime_type: 'image/PNG;q=1', data });
    assert.ok(picture !== undefined && isShowable(picture));
    assert.equal(inWords(picture), 'Image · PNG · 152 bytes');
  });

  it('does not include blocks that are shown elsewhere', () => {
    const blocks = [
      { type: 'text', text: '' },
      { type: 'reasoning', summary: [] },
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool_use', id: 'a', name: 'look_up', input: {} },
      { type: 'input_json_delta', input: '{' },
    ];
    assert.deepEqual(shown(...blocks), []);
  });

  it('shows pictures that are in the message, but not a page that only claims to be one', () => {
    const showable = (url: string) => {
      const file = attachmentOf({ type: 'image_url', image_url: { url } });
      return file !== undefined && isShowable(file);
    };
    assert.equal(showable(`data:image/png;base64,${data}`), true);
    assert.equal(showable('https://example.com/a.png'), false);
    assert.equal(showable(`data:text/html;base64,${data}`), false);
    assert.equal(showable('data:image/png;base64," onerror="alert(1)'), false);
  });

  it('is sent back unchanged', () => {
    for (const [name, mime] of [
      ['plan.pdf', 'application/pdf'],
      ['talk.wav', 'audio/wav'],
    ] as const) {
      const file = attachmentOf(fileBlock({ name, mime, base64: data }));
      assert.deepEqual([file?.name, file?.mime, file?.data], [name, mime, data]);
    }
  });
});
