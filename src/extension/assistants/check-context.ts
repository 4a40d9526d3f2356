import type { Schema } from '@cfworker/json-schema';
import * as l10n from '@vscode/l10n';
import { contextProblem } from '../../client/context-problem.ts';
import type { JsonObject } from '../../contract/fields.ts';

/**
 * Checks the context of an assistant against the context schema of its graph.
 * @throws Error that names the field which does not match.
 */
export function checkContext(context: JsonObject, schema: Schema): void {
  const problem = contextProblem(context, schema);
  if (problem === undefined) return;
  throw new Error(
    l10n.t(
      '“{0}” does not match the context schema of the graph. The Problems view shows what to correct.',
      problem.path,
    ),
  );
}
