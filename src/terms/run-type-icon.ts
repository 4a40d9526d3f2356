/** The codicon of a run type; unknown types get the icon of chains. */
export function runTypeIcon(type: string): string {
  switch (type) {
    case 'llm':
      return 'sparkle';
    case 'tool':
      return 'tools';
    case 'retriever':
      return 'search';
    case 'embedding':
      return 'symbol-array';
    case 'prompt':
      return 'quote';
    case 'parser':
      return 'symbol-structure';
    case 'request':
      return 'globe';
    case 'thread':
      return 'comment-discussion';
    default:
      return 'link';
  }
}
