import { findNodeAtLocation, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import { z } from 'zod';
import { JsonObject } from '../../contract/fields.ts';

/** What a state's document says. */
export const StateFields = z.strictObject({
  $schema: z.string().optional(),
  as_node: z.string().min(1).nullable().default(null),
  values: JsonObject,
});
export type StateFields = z.output<typeof StateFields>;

/** What is wrong with a document, and where: a path of property names, none for the document as a whole. */
export interface DocumentProblem {
  readonly sentence: string;
  readonly path: readonly (string | number)[];
}

/** The document of a state, without a node to update as. */
export function stateText(values: unknown, schemaUrl: string | undefined): string {
  const fields = { ...(schemaUrl !== undefined && { $schema: schemaUrl }), as_node: null, values };
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

export function parseState(
  text: string,
): { readonly fields: StateFields } | { readonly problem: DocumentProblem } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { disallowComments: false, allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    const sentence = `Line ${line} is not valid JSON: ${printParseErrorCode(error.error)}.`;
    return { problem: { sentence, path: [] } };
  }
  const parsed = StateFields.safeParse(value);
  if (parsed.success) return { fields: parsed.data };
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)));
  const place = path.length === 0 ? '' : `“${path.join('.')}”: `;
  return { problem: { sentence: `${place}${issue?.message ?? 'This is not a valid state.'}`, path } };
}

/** Where in the text a property is named; the longest part of the path that is there. */
export function placeOf(
  text: string,
  path: DocumentProblem['path'],
): { readonly offset: number; readonly length: number } {
  const root = parseTree(text);
  for (let depth = path.length; root !== undefined && depth > 0; depth--) {
    const found = findNodeAtLocation(root, path.slice(0, depth));
    const named = found?.parent?.type === 'property' ? found.parent.children?.[0] : found;
    if (named !== undefined) return { offset: named.offset, length: named.length };
  }
  return { offset: 0, length: 1 };
}
