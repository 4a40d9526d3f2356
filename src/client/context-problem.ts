import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { JsonObject } from '../contract/fields.ts';

/** The part of a context that does not match the schema of its graph. */
interface ContextProblem {
  /** The place in the context, such as `context.limits.tokens`. */
  readonly path: string;
  /** A sentence from the validator. */
  readonly reason: string;
}

/**
 * Checks the context of an assistant against the context schema of its graph. Required values may be missing
 * at the top level, because runs can provide them.
 * @returns the innermost of the problems; undefined when there is none, or the schema cannot be checked
 */
export function contextProblem(context: JsonObject, schema: Schema): ContextProblem | undefined {
  const innermost = errorsIn(context, schema).at(-1);
  if (innermost === undefined) return undefined;
  const path = innermost.instanceLocation.split('/').slice(1).map(unescapePointer);
  return { path: ['context', ...path].join('.'), reason: innermost.error };
}

/** The errors of a context, the outermost first. */
function errorsIn(context: JsonObject, schema: Schema): readonly OutputUnit[] {
  const { required: _, ...rest } = schema;
  try {
    return new Validator(rest, '2020-12', false).validate(context).errors;
  } catch {
    // A schema that refers to other documents cannot be checked, because these are not read.
    return [];
  }
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
