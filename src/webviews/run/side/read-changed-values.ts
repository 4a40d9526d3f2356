import * as l10n from '@vscode/l10n';
import { changedValues } from '../../../extension/states/changed-values.ts';
import { parseJson } from '../../shared/json-input.ts';
import { isDictionary } from '../messages.ts';

/** What a person has changed in a state, or what is wrong with its text, in a sentence. */
export function readChangedValues(
  before: unknown,
  text: string,
): { readonly values: Record<string, unknown> } | { readonly problem: string } {
  const read = parseJson(text);
  if ('problem' in read) return read;
  if (!isDictionary(read.value))
    return { problem: l10n.t('A state is a JSON object, such as {"topic": "tides"}.') };
  const values = changedValues(before, read.value);
  return Object.keys(values).length === 0 ? { problem: l10n.t('Nothing has been changed yet.') } : { values };
}
