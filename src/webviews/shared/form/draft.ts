import * as l10n from '@vscode/l10n';
import { parseJson } from '../json-input.ts';
import { type Field, isSchema } from './field.ts';

/**
 * The values of a form: strings for strings, numbers and JSON, booleans, the chosen place of a choice, and
 * lists and dictionaries of those. `undefined` is a field that nobody has touched and nothing is set for.
 */
export type Draft = string | boolean | undefined | readonly Draft[] | { readonly [name: string]: Draft };

/** Where a problem is: property names and places in lists, joined with dots; empty for the form itself. */
export type Problems = Readonly<Record<string, string>>;

/** The draft for a value: what the schema says to begin with, or what was given as JSON before. */
export function draftOf(field: Field, value: unknown = field.initial): Draft {
  switch (field.kind) {
    case 'text':
      return value === undefined || value === null
        ? ''
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
    case 'number':
      return typeof value === 'number' ? String(value) : '';
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'choice': {
      const index = field.choices.findIndex((choice) => choice.value === value);
      return index < 0 ? '' : String(index);
    }
    case 'list': {
      const items = Array.isArray(value) ? value : Array.from({ length: field.min ?? 0 }, () => undefined);
      return items.map((item: unknown) => draftOf(field.item, item ?? field.item.initial));
    }
    case 'object': {
      const known = isSchema(value) ? value : {};
      return Object.fromEntries(
        field.properties.map(({ name, field: inner }) => [
          name,
          draftOf(inner, known[name] ?? inner.initial),
        ]),
      );
    }
    case 'json':
      return value === undefined || value === null ? '' : JSON.stringify(value, undefined, 2);
  }
}

/** The value of a filled-in form, or the problems of its fields, each in a sentence. */
export function readForm(
  field: Field,
  draft: Draft,
): { readonly value: unknown } | { readonly problems: Problems } {
  const problems: Record<string, string> = {};
  const value = readField(field, draft, true, [], problems);
  return Object.keys(problems).length > 0 ? { problems } : { value: value ?? {} };
}

function readField(
  field: Field,
  draft: Draft,
  isRequired: boolean,
  path: readonly string[],
  problems: Record<string, string>,
): unknown {
  const wrong = (sentence: string): undefined => {
    problems[path.join('.')] = sentence;
    return undefined;
  };
  const missing = () => (isRequired ? wrong(l10n.t('Required')) : undefined);
  switch (field.kind) {
    case 'text': {
      const text = typeof draft === 'string' ? draft : '';
      // An empty string counts as missing, unless the field is required.
      if (text === '') return isRequired ? ((field.min ?? 0) > 0 ? missing() : '') : undefined;
      if (field.min !== undefined && text.length < field.min)
        return wrong(l10n.t('Enter at least {0} characters.', field.min));
      if (field.max !== undefined && text.length > field.max)
        return wrong(
          field.max === 1
            ? l10n.t('Enter at most 1 character.')
            : l10n.t('Enter at most {0} characters.', field.max),
        );
      return text;
    }
    case 'number': {
      const text = typeof draft === 'string' ? draft.trim() : '';
      if (text === '') return missing();
      const value = Number(text);
      if (!Number.isFinite(value)) return wrong(l10n.t('“{0}” is not a number.', text.slice(0, 40)));
      if (field.integer && !Number.isInteger(value)) return wrong(l10n.t('Enter a whole number.'));
      if (field.min !== undefined && value < field.min)
        return wrong(l10n.t('Must be at least {0}.', field.min));
      if (field.max !== undefined && value > field.max)
        return wrong(l10n.t('Must be at most {0}.', field.max));
      return value;
    }
    case 'boolean':
      return typeof draft === 'boolean' ? draft : isRequired ? false : undefined;
    case 'choice': {
      const chosen = typeof draft === 'string' && draft !== '' ? field.choices[Number(draft)] : undefined;
      return chosen === undefined ? missing() : chosen.value;
    }
    case 'list': {
      const items = isList(draft) ? draft : [];
      if (items.length === 0 && !isRequired) return undefined;
      if (field.min !== undefined && items.length < field.min)
        return wrong(
          field.min === 1 ? l10n.t('Add at least 1 item.') : l10n.t('Add at least {0} items.', field.min),
        );
      if (field.max !== undefined && items.length > field.max)
        return wrong(
          field.max === 1
            ? l10n.t('Enter no more than 1 item.')
            : l10n.t('Enter {0} or fewer items.', field.max),
        );
      return items.map((item, index) =>
        readField(field.item, item, true, [...path, String(index)], problems),
      );
    }
    case 'object': {
      const inner = isDictionary(draft) ? draft : {};
      // An object that may be left out is, when nothing in it is filled in.
      if (!isRequired && isUntouched(field, inner)) return undefined;
      const entries = field.properties.map(({ name, required, field: property }) => [
        name,
        readField(property, inner[name], required, [...path, name], problems),
      ]);
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    }
    case 'json': {
      const text = typeof draft === 'string' ? draft : '';
      if (text.trim() === '') return missing();
      const read = parseJson(text);
      return 'problem' in read ? wrong(read.problem) : read.value;
    }
  }
}

function isUntouched(
  field: Extract<Field, { kind: 'object' }>,
  draft: { readonly [name: string]: Draft },
): boolean {
  return field.properties.every(({ name, field: property }) => {
    const value = draft[name];
    if (property.kind === 'object') return !isDictionary(value) || isUntouched(property, value);
    return value === undefined || value === '' || (isList(value) && value.length === 0);
  });
}

export function isList(draft: Draft): draft is readonly Draft[] {
  return Array.isArray(draft);
}

export function isDictionary(draft: Draft): draft is { readonly [name: string]: Draft } {
  return typeof draft === 'object' && !isList(draft);
}

/** A draft as it was kept, checked to be one. */
export function keptDraft(value: unknown): Draft {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(keptDraft);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, keptDraft(inner)]));
}
