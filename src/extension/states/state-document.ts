import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { z } from 'zod';
import { JsonObject } from '../../contract/fields.ts';
import { type DocumentProblem, readJsonDocument } from '../documents/json-document.ts';

/** The fields of a state's document. */
const StateFields = z.strictObject({
  $schema: z.string().optional(),
  as_node: z.string().min(1).nullable().default(null),
  values: JsonObject,
});
type StateFields = z.output<typeof StateFields>;

/**
 * The text of a state's document. `as_node` is null until the user names the node that the update counts as
 * made by.
 */
export function stateText(values: unknown, schemaUrl: string | undefined): string {
  const fields = { ...(schemaUrl !== undefined && { $schema: schemaUrl }), as_node: null, values };
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

/** Parses a document, or says what is wrong with it. */
export function parseState(
  text: string,
): { readonly fields: StateFields } | { readonly problem: DocumentProblem } {
  return readJsonDocument(text, StateFields);
}

/** The place of a property in the text, or of the longest part of its path that exists. */
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
