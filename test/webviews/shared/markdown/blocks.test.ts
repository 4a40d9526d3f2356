import assert from 'node:assert/strict';
import { type Blocks, readBlocks } from '../../../../src/webviews/shared/markdown/blocks.ts';

/** Texts in which a later line says what an earlier one is. */
const texts: Readonly<Record<string, string>> = {
  'a bit of everything':
    '# Title\n\nA *word*, `code`, [a link](https://example.com/a(b)c).\n\n> quoted\nlazily\n> - in it\n\n---\n\nLast\n====\n',
  'lists that go on after an empty line':
    '1. one\n\n2. two\n\n   of it\n\n3. three\n\n- a\n\n- b\n  - c\n\n    d\n\n* other\n\ntext\n- [x] done\n- [ ] open\n',
  'code of every kind':
    'before\n```ts\nconst a = [1, 2];\n\n```` not its end\n``` neither\n```\nafter\n\n    indented\n\n    more\n\n~~~\n```\n~~~\n\nend',
  tables: 'text\n| a | b |\n|---|--:|\n| 1 | `x` |\n| 2\n\nbehind it\n\n| no | table |\n',
  'addresses that come later':
    'See [one] and [two][2].\n\nMore [one].\n\n[one]: https://example.com/1 "First"\n[2]: https://example.com/2\n\n[one]: https://example.com/other\n\nAnd [one], [2].',
  HTML: 'a <b>bold</b>\n\n<div>\n\n*so*\n</div>\n\n<!-- a\n\nb -->\n\nend<br>of it\n',
  'lines of Windows': '- a\r\n\r\n- b\r\n\r\n```\r\nx\r\n```\r\n',
};

describe('reading Markdown block by block', () => {
  for (const [what, text] of Object.entries(texts)) {
    it(`gives ${what} the same whether it comes in pieces or at once`, () => {
      for (const isGrowing of [false, true]) {
        let blocks: Blocks | undefined;
        for (let length = 1; length <= text.length; length++) {
          const known = text.slice(0, length);
          blocks = readBlocks(known, isGrowing, blocks);
          assert.deepEqual(blocks.html, readBlocks(known, isGrowing).html, JSON.stringify(known));
        }
        const whole = readBlocks(text, false);
        assert.deepEqual(readBlocks(text, false, blocks).html, whole.html);
        assert.ok(whole.html.length > 1);
      }
    });
  }

  it('does not read again what can no longer change', () => {
    const paragraphs = Array.from({ length: 500 }, (_, at) => `Paragraph ${at} of it.\n\n`);
    let blocks: Blocks | undefined;
    let text = '';
    for (const paragraph of paragraphs) {
      text += paragraph;
      blocks = readBlocks(text, true, blocks);
      assert.ok(text.length - blocks.closed.text.length < 100);
    }
  });

  it('is a text again, whole, where a block of it is deeper than anybody writes', () => {
    const text = `# A title\n\n${'> '.repeat(2_000)}x\n\nThe end.`;
    let blocks: Blocks | undefined;
    for (const known of [text.slice(0, 20), text.slice(0, 900), text])
      blocks = readBlocks(known, true, blocks);
    assert.deepEqual(blocks?.html, readBlocks(text, false).html);
    assert.match(blocks?.html.join('') ?? '', /^<p># A title.*The end\.<\/p>$/);
  });

  it('shows nothing of a link before all of it is there, and never less than before', () => {
    const shownOf = (known: string) =>
      readBlocks(known, true)
        .html.join('')
        .replace(/<[^>]*>/g, '')
        .trimEnd();
    const text = 'See [the docs](https://example.com/a) and ![a map](https://example.com/b.png), a[0] too.';
    let before = '';
    for (let length = 1; length <= text.length; length++) {
      const shown = shownOf(text.slice(0, length));
      assert.ok(shown.startsWith(before), `${before} → ${shown}`);
      assert.doesNotMatch(shown, /https|\]\(/);
      before = shown;
    }
    assert.equal(before, 'See the docs and a map, a[0] too.');
    assert.equal(shownOf('```\nconst a = [1, 2'), 'const a = [1, 2');
    assert.equal(shownOf('It is `a[0'), 'It is `a[0');
  });
});
