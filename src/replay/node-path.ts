/** The path of a node for display: `parent › child` for `parent|child`. It is empty for code outside any node. */
export function nodePath(node: string): string {
  return node.replaceAll('|', ' › ');
}
