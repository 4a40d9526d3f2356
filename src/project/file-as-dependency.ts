import path from 'node:path';

/** Why a file, such as requirements.txt, cannot be a dependency of langgraph.json, in words. */
export function fileAsDependency(value: string): string {
  return `${value} is a file, not a folder: write "${path.posix.dirname(value)}" for what its folder requires.`;
}
