import * as l10n from '@vscode/l10n';
import { parseJson } from '../shared/json-input.ts';

/** How the text of a response is sent. */
export type ResponseType = 'text' | 'json';

/**
 * How a response is sent by default.
 * @param isTextAsked whether the question is a plain text, which is usually answered with text.
 */
export function guessType(text: string, isTextAsked: boolean): ResponseType {
  if (isTextAsked) return 'text';
  // Brackets and quotes begin JSON even if they are not closed yet; a number may begin a sentence.
  if (/^\s*[[{"]/.test(text)) return 'json';
  return /^\s*(-?\d|(true|false|null)\b)/.test(text) && 'value' in parseJson(text) ? 'json' : 'text';
}

/** The value of a response, or why it is invalid. */
export function readResponse(text: string, type: ResponseType): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { problem: l10n.t('Enter a response.') };
  return type === 'json' ? parseJson(text) : { value: text };
}
