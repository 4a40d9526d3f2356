import * as l10n from '@vscode/l10n';
import { parseJson } from '../shared/json-input.ts';

/** How the text of a response is sent. */
export type ResponseType = 'text' | 'json';

/**
 * How a response is sent unless a person says otherwise.
 * @param isTextAsked whether the question is no more than a text, which is usually answered with one.
 */
export function guessType(text: string, isTextAsked: boolean): ResponseType {
  if (isTextAsked) return 'text';
  // Brackets and quotes begin JSON also where they are not closed yet; a number may begin a sentence.
  if (/^\s*[[{"]/.test(text)) return 'json';
  return /^\s*(-?\d|(true|false|null)\b)/.test(text) && 'value' in parseJson(text) ? 'json' : 'text';
}

/** The value of a response, or why it is none. */
export function readResponse(text: string, type: ResponseType): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { problem: l10n.t('Enter a response.') };
  return type === 'json' ? parseJson(text) : { value: text };
}
