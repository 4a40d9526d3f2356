import { Lexer, type Links, type MarkedOptions, type Token } from 'marked';

/** A paragraph with more of them is no prose, and looking for their pairs takes their number squared. */
const MAX_EMPHASIS_MARKS = 2_000;

/** Reads Markdown in a time that grows as its length does: a paragraph of nothing but marks is text. */
export class BoundedLexer<ParserOutput, RendererOutput> extends Lexer<ParserOutput, RendererOutput> {
  /** @param links the addresses that the text before has defined. */
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
