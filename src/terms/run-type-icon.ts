/** The codicon of a type of run; those that tracers may add look like chains. */
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
