import { Lexer, type Links, type MarkedOptions, type Token } from 'marked';

/** A paragraph with more `*` and `_` than this is not prose, and matching them would take quadratic time. */
const MAX_EMPHASIS_MARKS = 2_000;

/** Parses Markdown in linear time: a paragraph with very many emphasis marks stays plain text. */
export class BoundedLexer<ParserOutput, RendererOutput> extends Lexer<ParserOutput, RendererOutput> {
  /** @param links the link definitions of the earlier text. */
  constructor(options: MarkedOptions<ParserOutput, RendererOutput>, links: Links = {}) {
    super(options);
    Object.assign(this.tokens.links, links);
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if ((text.match(/[*_]/g)?.length ?? 0) <= MAX_EMPHASIS_MARKS) return super.inlineTokens(text, tokens);
    tokens.push({ type: 'text', raw: text, text, escaped: false });
    return tokens;
  }
}
