import * as l10n from '@vscode/l10n';
import { isDictionary } from '../../../terms/fields.ts';
import { parseJson } from '../../shared/json-input.ts';

/** Reads the values of a state that the user has edited as JSON. A problem is a sentence. */
export function readEditedState(
  before: unknown,
  text: string,
): { readonly values: Record<string, unknown> } | { readonly problem: string } {
  const read = parseJson(text);
  if ('problem' in read) return read;
  if (!isDictionary(read.value))
    return { problem: l10n.t('A state is a JSON object, such as {"topic": "tides"}.') };
  if (JSON.stringify(read.value) === JSON.stringify(before)) return { problem: l10n.t('No changes yet.') };
  return { values: read.value };
}
