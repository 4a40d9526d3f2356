import * as l10n from '@vscode/l10n';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';

/** Parses JSON that the user typed. A problem is a sentence with line and column. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  if (text.trim() === '') return { problem: l10n.t('Enter JSON, for example {}.') };
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The parser below locates the error. It drops properties named `__proto__`, so it is not used first.
  }
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return { value };
  const before = text.slice(0, first.offset).split('\n');
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { problem: l10n.t('Line {0}, column {1}: {2}', line, column, inWords(first, text)) };
}

function inWords({ error, offset, length }: ParseError, text: string): string {
  const found = text.slice(offset, offset + Math.min(Math.max(length, 1), 20));
  const isEnd = offset >= text.trimEnd().length;
  switch (printParseErrorCode(error)) {
    case 'InvalidSymbol':
      return l10n.t(
        '“{0}” is not valid JSON. Strings must be in double quotes. Other values can be numbers, true, false, null, arrays, or objects.',
        found,
      );
    case 'InvalidNumberFormat':
      return l10n.t('“{0}” is not a valid JSON number. Examples: 1, -0.5, or 2e3.', found);
    case 'PropertyNameExpected':
      // A bracket of an array does not close an object.
      if (found === ']') return notClosed('}');
      return found === '}'
        ? l10n.t('There is a comma before the “{0}”, but nothing follows it. Remove the comma.', found)
        : l10n.t('The name of a property is missing here. Names must be in double quotes, such as "topic".');
    case 'ValueExpected':
      if (isEnd) return l10n.t('The input ends where a value is expected.');
      // Without a colon before it, the missing value is an item of an array that was not closed.
      if (found === '}' && !/:\s*$/.test(text.slice(0, offset))) return notClosed(']');
      return found === '}' || found === ']' || found === ','
        ? l10n.t('A value is missing before the “{0}”.', found)
        : l10n.t('A value is missing here.');
    case 'ColonExpected':
      return l10n.t('A colon is missing between the name of the property and its value.');
    case 'CommaExpected':
      if (found === ']' || found === '}') return notClosed(found === ']' ? '}' : ']');
      return l10n.t('A comma is missing between two items.');
    case 'CloseBraceExpected':
      return notClosed('}');
    case 'CloseBracketExpected':
      return notClosed(']');
    case 'EndOfFileExpected':
      return l10n.t('Remove the text after the end of the JSON.');
    case 'InvalidCommentToken':
    case 'UnexpectedEndOfComment':
      return l10n.t('JSON does not allow comments. Remove the comment.');
    case 'UnexpectedEndOfString':
      return l10n.t('This string is not closed: a double quote is missing.');
    case 'UnexpectedEndOfNumber':
      return l10n.t('The number is incomplete.');
    case 'InvalidUnicode':
      return l10n.t('A \\u in a string must be followed by four hexadecimal digits, such as \\u00e9.');
    case 'InvalidEscapeCharacter':
      return l10n.t('A backslash can be followed only by " \\ / b f n r t or u. Write \\\\ for a backslash.');
    case 'InvalidCharacter':
      return l10n.t('A string contains a character that JSON does not allow. Write a line break as \\n.');
    default:
      return l10n.t('Not valid JSON.');
  }
}

function notClosed(missing: '}' | ']'): string {
  return missing === '}'
    ? l10n.t('This object is not closed: “}” is missing.')
    : l10n.t('This array is not closed: “]” is missing.');
}
