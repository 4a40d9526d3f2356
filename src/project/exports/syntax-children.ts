import type { SyntaxNode } from '@lezer/common';

/** The nodes directly below a syntax node, in order. */
export function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}
