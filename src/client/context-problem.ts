import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { JsonObject } from '../contract/fields.ts';

/** The part of a context that does not match the schema of its graph. */
export interface ContextProblem {
  /** Such as `context.limits.tokens`. */
  readonly path: string;
  /** A sentence of the validator's. */
  readonly reason: string;
}

/**
 * Checks the context of an assistant, some of which may come with each run, against the context schema of its
 * graph.
 */
export function contextProblem(context: JsonObject, schema: Schema): ContextProblem | undefined {
  const innermost = errorsIn(context, schema).at(-1);
  if (innermost === undefined) return undefined;
  const path = innermost.instanceLocation.split('/').slice(1).map(unescapePointer);
  return { path: ['context', ...path].join('.'), reason: innermost.error };
}

/** The outermost error first. */
function errorsIn(context: JsonObject, schema: Schema): readonly OutputUnit[] {
  // A required value that is missing may come with each run.
  const { required: _, ...rest } = schema;
  try {
    return new Validator(rest, '2020-12', false).validate(context).errors;
  } catch {
    // References to other documents are not followed.
    return [];
  }
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
