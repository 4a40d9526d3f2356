import * as l10n from '@vscode/l10n';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';

/** Reads JSON that a person typed; what is wrong is said with its line and column. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  if (text.trim() === '') return { problem: l10n.t('Type some JSON, such as {}.') };
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return { value };
  const before = text.slice(0, first.offset).split('\n');
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  return {
    problem: l10n.t('This is no valid JSON: line {0}, column {1}: {2}.', line, column, inWords(first)),
  };
}

/** `CloseBraceExpected` as `close brace expected`. */
function inWords({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .toLowerCase();
}
