/** The path of a node in words. In its name, `|` separates the nodes of subgraphs; empty for code outside any node. */
export function nodePath(node: string): string {
  return node.replaceAll('|', ' › ');
}
