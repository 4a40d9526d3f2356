import type { z } from 'zod';
import type { ValidationIssue } from '../../contract/errors.ts';

/** An error response: a status with a sentence, or with the list of failed checks for 422. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly detail: string | ValidationIssue[];
  readonly headers: Readonly<Record<string, string>>;
  /** A machine-readable code, which public clients check. */
  readonly code: string | undefined;

  constructor(
    status: number,
    detail: string | ValidationIssue[],
    headers: Readonly<Record<string, string>> = {},
    code?: string,
  ) {
    super(
      typeof detail === 'string'
        ? detail
        : detail.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; '),
    );
    this.status = status;
    this.detail = detail;
    this.headers = headers;
    this.code = code;
  }
}

export const badRequest = (detail: string) => new HttpError(400, detail);
export const forbidden = (detail: string) => new HttpError(403, detail);
export const notFound = (what: string, id: string) => new HttpError(404, `${what} '${id}' not found.`);
export const conflict = (detail: string) => new HttpError(409, detail);

/** A 422 for one field, for checks that a schema cannot make. */
export function invalid(loc: (string | number)[], msg: string, type = 'value_error'): HttpError {
  return new HttpError(422, [{ loc, msg, type }]);
}

/**
 * Zod's issues as `{loc, msg, type}`, each located below the part of the request that contains the value
 * (docs/interface/README.md#rules-for-all-areas).
 */
export function validationIssues(error: z.ZodError, source: 'body' | 'query' | 'path'): ValidationIssue[] {
  return error.issues.flatMap(nearest).map((issue) => ({
    loc: [source, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
    msg: issue.message,
    type: issue.code === 'invalid_type' && issue.input === undefined ? 'missing' : issue.code,
  }));
}

/**
 * Replaces the issue of a union by those of the variant that the value matches best. If every variant refuses
 * the value as a whole, a single issue has the messages of all variants. Other issues are kept.
 */
function nearest(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const { path, errors } = issue;
  // The variant with the deepest issue is the best match.
  const [best] = errors.toSorted((a, b) => depth(b) - depth(a));
  if (best !== undefined && depth(best) > 0) {
    return best.flatMap(nearest).map((inner) => ({ ...inner, path: [...path, ...inner.path] }));
  }
  const expected = new Set(errors.flatMap((found) => found.map(({ message }) => message)));
  return [{ ...issue, message: [...expected].join('; or: ') }];
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(...issues.map(({ path }) => path.length));
}
