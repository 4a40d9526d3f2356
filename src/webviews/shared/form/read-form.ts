import * as l10n from '@vscode/l10n';
import { parseJson } from '../json-input.ts';
import { type Draft, isDictionary, isList } from './draft.ts';
import type { Field } from './field.ts';

/** Where a problem is: property names and places in lists, joined with dots; empty for the form itself. */
export type Problems = Readonly<Record<string, string>>;

type FieldOf<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

/** The value of a field; an undefined one is left out. */
type Reading = { readonly value: unknown } | { readonly problem: string };

/** Where a field is, and the problems found so far. */
interface Place {
  readonly path: readonly string[];
  readonly problems: Record<string, string>;
}

/** The value of a filled-in form, or the problems of its fields, each in a sentence. */
export function readForm(
  field: Field,
  draft: Draft,
): { readonly value: unknown } | { readonly problems: Problems } {
  const problems: Record<string, string> = {};
  const value = readField(field, draft, true, { path: [], problems });
  return Object.keys(problems).length > 0 ? { problems } : { value: value ?? {} };
}

function readField(field: Field, draft: Draft, isRequired: boolean, place: Place): unknown {
  const reading = read(field, draft, isRequired, place);
  if ('value' in reading) return reading.value;
  place.problems[place.path.join('.')] = reading.problem;
  return undefined;
}

function read(field: Field, draft: Draft, isRequired: boolean, place: Place): Reading {
  switch (field.kind) {
    case 'text':
      return readText(field, draft, isRequired);
    case 'number':
      return readNumber(field, draft, isRequired);
    case 'boolean':
      return { value: typeof draft === 'boolean' ? draft : isRequired ? false : undefined };
    case 'choice': {
      const chosen = typeof draft === 'string' && draft !== '' ? field.choices[Number(draft)] : undefined;
      return chosen === undefined ? readNothing(isRequired) : { value: chosen.value };
    }
    case 'list':
      return readList(field, draft, isRequired, place);
    case 'object':
      return readObject(field, draft, isRequired, place);
    case 'json': {
      const text = typeof draft === 'string' ? draft : '';
      return text.trim() === '' ? readNothing(isRequired) : parseJson(text);
    }
  }
}

function readNothing(isRequired: boolean): Reading {
  return isRequired ? { problem: l10n.t('Required') } : { value: undefined };
}

function readText({ min = 0, max }: FieldOf<'text'>, draft: Draft, isRequired: boolean): Reading {
  const text = typeof draft === 'string' ? draft : '';
  // An empty string counts as missing, unless the field is required and may be empty.
  if (text === '') return isRequired && min === 0 ? { value: '' } : readNothing(isRequired);
  if (text.length < min) return { problem: l10n.t('Enter at least {0} characters.', min) };
  if (max === undefined || text.length <= max) return { value: text };
  return {
    problem: max === 1 ? l10n.t('Enter at most 1 character.') : l10n.t('Enter at most {0} characters.', max),
  };
}

function readNumber({ min, max, integer }: FieldOf<'number'>, draft: Draft, isRequired: boolean): Reading {
  const text = typeof draft === 'string' ? draft.trim() : '';
  if (text === '') return readNothing(isRequired);
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: l10n.t('“{0}” is not a number.', text.slice(0, 40)) };
  if (integer && !Number.isInteger(value)) return { problem: l10n.t('Enter a whole number.') };
  if (min !== undefined && value < min) return { problem: l10n.t('Must be at least {0}.', min) };
  if (max !== undefined && value > max) return { problem: l10n.t('Must be at most {0}.', max) };
  return { value };
}

function readList(
  { item: field, min = 0, max }: FieldOf<'list'>,
  draft: Draft,
  isRequired: boolean,
  { path, problems }: Place,
): Reading {
  const items = isList(draft) ? draft : [];
  if (items.length === 0 && !isRequired) return { value: undefined };
  if (items.length < min)
    return {
      problem: min === 1 ? l10n.t('Add at least 1 item.') : l10n.t('Add at least {0} items.', min),
    };
  if (max !== undefined && items.length > max)
    return {
      problem: max === 1 ? l10n.t('Enter at most 1 item.') : l10n.t('Enter at most {0} items.', max),
    };
  return {
    value: items.map((item, index) =>
      readField(field, item, true, { path: [...path, String(index)], problems }),
    ),
  };
}

function readObject(
  field: FieldOf<'object'>,
  draft: Draft,
  isRequired: boolean,
  { path, problems }: Place,
): Reading {
  const inner = isDictionary(draft) ? draft : {};
  // An object that may be left out is, when nothing in it is filled in.
  if (!isRequired && isUntouched(field, inner)) return { value: undefined };
  const entries = field.properties.map(({ name, required, field: property }) => [
    name,
    readField(property, inner[name], required, { path: [...path, name], problems }),
  ]);
  return { value: Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
}

function isUntouched(field: FieldOf<'object'>, draft: { readonly [name: string]: Draft }): boolean {
  return field.properties.every(({ name, field: property }) => {
    const value = draft[name];
    if (property.kind === 'object') return !isDictionary(value) || isUntouched(property, value);
    return value === undefined || value === '' || (isList(value) && value.length === 0);
  });
}
