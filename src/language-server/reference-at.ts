import type { Position, StringASTNode } from 'vscode-json-languageservice';
import type { ConfigDocument, ReferenceKind } from '../project/config-document.ts';

/** A reference in langgraph.json, and a position in the reference. */
export interface ReferenceAt {
  readonly kind: ReferenceKind;
  readonly node: StringASTNode;
  /** The text between the quotes, which may not have been closed yet. */
  readonly text: string;
  /** The offset of the position in the text. */
  readonly at: number;
}

/** The reference at a position; none for a string with escapes, because positions in it cannot be mapped. */
export function referenceAt(config: ConfigDocument, position: Position): ReferenceAt | undefined {
  const { document, references } = config;
  const offset = document.offsetAt(position);
  for (const { kind, node } of references) {
    const written = document.getText().slice(node.offset + 1, node.offset + node.length);
    const text = written.endsWith('"') ? written.slice(0, -1) : written;
    const at = offset - node.offset - 1;
    if (at >= 0 && at <= text.length && !text.includes('\\')) return { kind, node, text, at };
  }
  return undefined;
}
