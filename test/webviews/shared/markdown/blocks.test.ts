import assert from 'node:assert/strict';
import { type Blocks, readBlocks } from '../../../../src/webviews/shared/markdown/blocks.ts';

/** Texts in which a later line determines the meaning of an earlier one. */
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

/** Blocks without an end. */
const long: Readonly<Record<string, { readonly head: string; readonly unit: (at: number) => string }>> = {
  'a list of items': { head: 'Of it:\n\n', unit: (at) => `- item *${at}*\n` },
  'a list with items inside': {
    head: '',
    unit: (at) => `${at + 1}. item ${at}\n   - inside\n   - [ ] *it*\n`,
  },
  'a list of paragraphs': { head: '', unit: (at) => `* [x] item ${at}\n\n  more of it\n\n` },
  'a list that is loose at first': {
    head: '- a\n\n- b\n\n',
    unit: (at) => `- [${at % 2 ? 'x' : ' '}] item ${at}\n`,
  },
  'a list that becomes loose': { head: '', unit: (at) => `- item ${at}\n${at % 90 === 70 ? '\n' : ''}` },
  'a table of rows': { head: 'text\n| a | b |\n|---|--:|\n', unit: (at) => `| ${at} | \`x\` |\n` },
  'code of lines': { head: '```ts\n', unit: (at) => `${at % 9 ? '  ' : ''}const a${at} = [1,\n` },
  'indented code with empty lines': { head: 'a\n\n  ~~~ts\n', unit: (at) => `   line ${at}\n\n` },
};

describe('reading Markdown block by block', () => {
  for (const [what, text] of Object.entries(texts)) {
    it(`gives the same for ${what} whether that comes in pieces or at once`, () => {
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

  for (const [what, { head, unit }] of Object.entries(long)) {
    it(`reads ${what} the same whether it comes in pieces or at once`, () => {
      const body = head + Array.from({ length: 110 }, (_, at) => unit(at)).join('');
      for (const [isGrowing, end] of [
        [true, '\nThe end.\n\nOf it.'],
        [false, '\n[1]: https://a.b\n'],
        [true, '===\n```\n'],
      ] as const) {
        const text = body + end;
        let blocks: Blocks | undefined;
        for (let length = 0; length < text.length + 9; length += 9) {
          const known = text.slice(0, length);
          blocks = readBlocks(known, isGrowing, blocks);
          if (length % 13 === 0 || length >= text.length)
            assert.deepEqual(
              blocks.html,
              readBlocks(known, isGrowing).html,
              JSON.stringify(known.slice(-80)),
            );
        }
      }
    });

    it(`reads ${what} again only at its end`, () => {
      let text = head;
      let blocks = readBlocks(text, true);
      for (let at = 0; at < 600; at++) {
        text += unit(at);
        const before = new Set(blocks.html.flat());
        blocks = readBlocks(text, true, blocks);
        const unread = text.length - blocks.closed.text.length;
        assert.ok(at < 100 || unread < 60 * unit(at).length, `${unread} characters are read again`);
        const changed = blocks.html.flat().filter((piece) => !before.has(piece));
        assert.ok(at < 100 || changed.length <= 2, `${changed.length} pieces are drawn again`);
      }
      assert.ok(blocks.html.flat().length >= 12);
    });
  }

  it('falls back to plain text when one of its blocks is deeper than anybody writes', () => {
    const text = `# A title\n\n${'> '.repeat(2_000)}x\n\nThe end.`;
    let blocks: Blocks | undefined;
    for (const known of [text.slice(0, 20), text.slice(0, 900), text])
      blocks = readBlocks(known, true, blocks);
    assert.deepEqual(blocks?.html, readBlocks(text, false).html);
    assert.match(blocks?.html.flat().join('') ?? '', /^<p># A title.*The end\.<\/p>$/);
  });

  it('shows nothing of a link until all of it is there, and never less than before', () => {
    const shownOf = (known: string) =>
      readBlocks(known, true)
        .html.flat()
        .join('')
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
