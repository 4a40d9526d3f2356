import * as l10n from '@vscode/l10n';
import { type ParseError, parse } from 'jsonc-parser';
import type { z } from 'zod';

/** A problem in a document, with the path of the property; the path is empty for the document as a whole. */
export interface DocumentProblem {
  readonly sentence: string;
  readonly path: readonly (string | number)[];
}

/**
 * Parses the text of a document that is saved to a server, and checks it against a schema. Comments and
 * trailing commas are allowed. For invalid JSON the problem names only the line, because VS Code underlines
 * the place.
 */
export function readJsonDocument<Fields>(
  text: string,
  schema: z.ZodType<Fields>,
): { readonly fields: Fields } | { readonly problem: DocumentProblem } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { disallowComments: false, allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    const sentence = l10n.t('Line {0} is not valid JSON. The Problems view shows what to correct.', line);
    return { problem: { sentence, path: [] } };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { fields: parsed.data };
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)));
  const place = path.length === 0 ? '' : `“${path.join('.')}”: `;
  return {
    problem: {
      sentence: `${place}${issue?.message ?? l10n.t('The document does not have the expected properties. The Problems view shows what to correct.')}`,
      path,
    },
  };
}
