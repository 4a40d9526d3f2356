import { messageOf } from '../process/message-of.ts';

const SENTENCES: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist. Check the path.`,
  EISDIR: (path) => `${path} is a folder. Give the path of a file in it.`,
  EACCES: (path) => `${path} is not readable. Change its permissions.`,
};

/** Why a file cannot be read, and what to do. @param path as the user gave it */
export function whyUnreadable(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return SENTENCES[code]?.(path) ?? messageOf(error);
}
