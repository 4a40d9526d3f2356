import GithubSlugger from 'github-slugger';
import { marked, type Token } from 'marked';
import type { Passage } from '../state.ts';

/** A section longer than this is cut between two blocks, so that a passage stays small enough to quote. */
const MAX_PASSAGE_CHARS = 1200;

/** Blocks with nothing to quote. */
const silentBlocks = new Set(['space', 'html', 'hr', 'def']);

/**
 * Cuts a Markdown file into passages: one a section, several where a section is long.
 * `file` becomes part of each passage's source; lines count from 1.
 */
export function passagesOf(file: string, markdown: string): Passage[] {
  const slugger = new GithubSlugger();
  const headings: { depth: number; text: string }[] = [];
  const passages: Passage[] = [];
  let source = file;
  let line = 1;
  let headingLine: number | undefined;
  let section: { line: number; blocks: string[]; size: number } | undefined;

  const close = () => {
    const text = section?.blocks.join('\n\n').trim();
    if (section && text) {
      const heading = headings.map((each) => each.text).join(' › ') || file;
      passages.push({ source, file, heading, line: section.line, text });
    }
    section = undefined;
  };

  for (const token of tokensOf(markdown)) {
    if (token.type === 'heading') {
      close();
      const text = plainText(token);
      while ((headings.at(-1)?.depth ?? 0) >= token.depth) headings.pop();
      headings.push({ depth: token.depth, text });
      source = `${file}#${slugger.slug(text)}`;
      headingLine = line;
    } else if (!silentBlocks.has(token.type)) {
      if (section && section.size + token.raw.length > MAX_PASSAGE_CHARS) close();
      section ??= { line: headingLine ?? line, blocks: [], size: 0 };
      headingLine = undefined;
      section.blocks.push(token.raw.trimEnd());
      section.size += token.raw.length;
    }
    line += token.raw.split('\n').length - 1;
  }
  close();
  return passages;
}

/** The blocks of a file; its front matter is kept as white space, so that lines still count. */
function tokensOf(markdown: string): Token[] {
  const text = markdown
    .replace(/\r\n?/g, '\n')
    .replace(/^---\n.*?\n---(?=\n|$)/s, (frontMatter) => frontMatter.replace(/[^\n]/g, ''));
  return marked.lexer(text);
}

/** A heading's words without its markup, as GitHub names it. */
function plainText(token: Token): string {
  if ('tokens' in token && token.tokens) return token.tokens.map(plainText).join('');
  return 'text' in token ? token.text : token.raw;
}
