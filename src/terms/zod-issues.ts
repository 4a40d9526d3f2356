import { isDictionary } from './fields.ts';

/** A value that does not match a schema of zod. */
export interface ZodIssue {
  /** The path of the value, such as `messages.0.content`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

/** Reads the message of a zod error, which is the JSON of its issues. @returns none for other texts */
export function zodIssues(text: string): ZodIssue[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(read) ? read : []).flatMap((issue: unknown) => {
    if (!isDictionary(issue) || !('message' in issue)) return [];
    const path = Array.isArray(issue.path) ? issue.path.map(String).join('.') : '';
    return [{ path, message: String(issue.message) }];
  });
}
