import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import * as l10n from '@vscode/l10n';
import type { JsonObject } from '../../contract/fields.ts';

/**
 * Checks the context of an assistant against the context schema of its graph.
 * @throws Error that names the field which does not match.
 */
export function checkContext(context: JsonObject, schema: Schema): void {
  const innermost = errorsIn(context, schema).at(-1);
  if (innermost === undefined) return;
  const path = innermost.instanceLocation.split('/').slice(1).map(unescapePointer);
  throw new Error(
    l10n.t(
      '“{0}” does not match the context schema of the graph. The Problems view shows what to correct.',
      ['context', ...path].join('.'),
    ),
  );
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
