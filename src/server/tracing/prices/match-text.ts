import { z } from 'zod';

/** A rule that matches texts, in the format of `@pydantic/genai-prices`. */
export type Match =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] };

export const Match: z.ZodType<Match> = z.union([
  z.object({ equals: z.string() }),
  z.object({ starts_with: z.string() }),
  z.object({ ends_with: z.string() }),
  z.object({ contains: z.string() }),
  z.object({ regex: z.string() }),
  z.object({ or: z.lazy(() => z.array(Match)) }),
  z.object({ and: z.lazy(() => z.array(Match)) }),
]);

/** Whether a text matches a rule. Only regular expressions are case-sensitive. */
export function matches(match: Match, text: string): boolean {
  const lower = text.toLowerCase();
  if ('or' in match) return match.or.some((one) => matches(one, text));
  if ('and' in match) return match.and.every((one) => matches(one, text));
  if ('equals' in match) return lower === match.equals.toLowerCase();
  if ('starts_with' in match) return lower.startsWith(match.starts_with.toLowerCase());
  if ('ends_with' in match) return lower.endsWith(match.ends_with.toLowerCase());
  if ('contains' in match) return lower.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(text);
}

/**
 * Whether a text matches a pattern with `*` for any characters, ignoring case. Takes linear time, whatever the pattern.
 */
export function matchesWildcards(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const lower = text.toLowerCase();
  const last = rest.pop();
  if (last === undefined) return lower === first;
  if (!lower.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = lower.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return lower.length - last.length >= at && lower.endsWith(last);
}
