import path from 'node:path';

/** The message for a file, such as requirements.txt, in `dependencies` of langgraph.json. */
export function fileAsDependency(value: string): string {
  return `${value} is a file, not a folder: write "${path.posix.dirname(value)}" for what its folder requires.`;
}
