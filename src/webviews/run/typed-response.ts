import * as l10n from '@vscode/l10n';
import { parseJson } from '../shared/json-input.ts';

/** Whether a typed response is sent as text or parsed as JSON. */
export type ResponseType = 'text' | 'json';

/**
 * The type of a response, unless the user chooses one.
 * @param isTextAsked whether the question is plain text, which is usually answered with text
 */
export function guessType(text: string, isTextAsked: boolean): ResponseType {
  if (isTextAsked) return 'text';
  // Brackets and quotes begin JSON even if they are not closed yet; a number may begin a sentence.
  if (/^\s*[[{"]/.test(text)) return 'json';
  return /^\s*(-?\d|(true|false|null)\b)/.test(text) && 'value' in parseJson(text) ? 'json' : 'text';
}

/** Reads the value of a response. */
export function readResponse(text: string, type: ResponseType): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { problem: l10n.t('Enter a response.') };
  return type === 'json' ? parseJson(text) : { value: text };
}
