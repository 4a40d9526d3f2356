import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { readJson } from './body.ts';
import { HttpError, validationIssues } from './errors.ts';
import type { Found } from './router.ts';

/**
 * Reads and validates the path, query and JSON body of a request.
 * @param bodyLimit the maximum bytes of the body.
 * @throws HttpError 422, and the errors of `readJson`
 */
export async function readCall(request: IncomingMessage, found: Found, bodyLimit: number) {
  const { endpoint } = found.route;
  const params = parse(endpoint.params, found.params, 'path');
  const query = parse(endpoint.query, found.query, 'query');
  // An empty body counts as an empty object.
  const body =
    (endpoint.kind === 'json' || endpoint.kind === 'event-stream' || endpoint.kind === 'raw') &&
    endpoint.body !== undefined
      ? parse(endpoint.body, (await readJson(request, bodyLimit)) ?? {}, 'body')
      : undefined;
  return { params, query, body };
}

function parse(schema: z.ZodType | undefined, value: unknown, source: 'body' | 'query' | 'path'): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new HttpError(422, validationIssues(result.error, source));
}
