import * as l10n from '@vscode/l10n';
import { parseJson } from '../json-input.ts';
import { type Draft, draftAt, isListDraft, isObjectDraft, keptValue, rawJson } from './draft.ts';
import type { Field, FieldOf } from './field.ts';

/**
 * The problem of each invalid field, by its path: property names and indexes, joined with dots. The path of the form
 * itself is empty.
 */
export type Problems = Readonly<Record<string, string>>;

/** The value of a field, which is `undefined` when absent, or its problem. */
type Reading = { readonly value: unknown } | { readonly problem: string };

/** The path of a field, and the problems found so far, to which its own is added. */
interface Place {
  readonly path: readonly string[];
  readonly problems: Record<string, string>;
}

/** Reads the value of a form from its draft. Problems are sentences. */
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
  if (draft === null) return { value: null };
  if (draft === undefined) return readAbsent(field, isRequired, place);
  // A list or object whose draft is a text is JSON that its fields cannot show.
  switch (field.kind) {
    case 'list':
      return typeof draft === 'string' ? parseJson(draft) : readList(field, draft, place);
    case 'object':
      return typeof draft === 'string' ? parseJson(draft) : readObject(field, draft, place);
    case 'json': {
      const text = typeof draft === 'string' ? draft : '';
      return text.trim() === '' ? readAbsent(field, isRequired, place) : parseJson(text);
    }
    default:
      return readLine(field, draft, isRequired, place);
  }
}

function readLine(
  field: FieldOf<'text' | 'number' | 'boolean' | 'choice'>,
  draft: Exclude<Draft, null | undefined>,
  isRequired: boolean,
  place: Place,
): Reading {
  const raw = rawJson(draft);
  if (raw !== undefined) return parseJson(raw);
  switch (field.kind) {
    case 'text':
      return readText(field, draft);
    case 'number':
      return typeof draft === 'string' && draft.trim() !== ''
        ? readNumber(field, draft.trim())
        : readAbsent(field, isRequired, place);
    case 'boolean':
      return { value: draft === true };
    case 'choice': {
      const chosen = typeof draft === 'string' && draft !== '' ? field.choices[Number(draft)] : undefined;
      return chosen === undefined ? readAbsent(field, isRequired, place) : { value: chosen.value };
    }
  }
}

/** Reads an absent field. If it is required, it has the value that it shows. */
function readAbsent(field: Field, isRequired: boolean, place: Place): Reading {
  if (!isRequired) return { value: undefined };
  if (field.initial !== undefined) return { value: field.initial };
  if (field.nullable) return { value: null };
  switch (field.kind) {
    case 'boolean':
      return { value: false };
    case 'object':
      return readObject(field, {}, place);
    case 'list':
      return readList(field, [], place);
    default:
      return { problem: l10n.t('Required') };
  }
}

function readText({ min = 0, max }: FieldOf<'text'>, draft: Draft): Reading {
  const text = typeof draft === 'string' ? draft : '';
  // JSON Schema counts characters, of which some take two units of a string.
  const { length } = [...text];
  if (length < min)
    return { problem: text === '' ? l10n.t('Required') : l10n.t('Enter at least {0} characters.', min) };
  if (max === undefined || length <= max) return { value: text };
  return {
    problem: max === 1 ? l10n.t('Enter at most 1 character.') : l10n.t('Enter at most {0} characters.', max),
  };
}

function readNumber({ min, max, above, below, integer }: FieldOf<'number'>, text: string): Reading {
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: l10n.t('“{0}” is not a number.', text.slice(0, 40)) };
  if (integer && !Number.isInteger(value)) return { problem: l10n.t('Enter a whole number.') };
  if (min !== undefined && value < min) return { problem: l10n.t('Must be at least {0}.', min) };
  if (max !== undefined && value > max) return { problem: l10n.t('Must be at most {0}.', max) };
  if (above !== undefined && value <= above) return { problem: l10n.t('Must be greater than {0}.', above) };
  if (below !== undefined && value >= below) return { problem: l10n.t('Must be less than {0}.', below) };
  return { value };
}

function readList(
  { item: field, min = 0, max }: FieldOf<'list'>,
  draft: Draft,
  { path, problems }: Place,
): Reading {
  const items = isListDraft(draft) ? draft : [];
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

function readObject(field: FieldOf<'object'>, draft: Draft, { path, problems }: Place): Reading {
  const entries = field.properties.map(({ name, required, field: property }) => [
    name,
    readField(property, draftAt(draft, name, property), required, { path: [...path, name], problems }),
  ]);
  const names = new Set(field.properties.map(({ name }) => name));
  // Values of properties that the schema does not name are kept. Other drafts are of an earlier schema.
  const others = Object.entries(isObjectDraft(draft) ? draft : {}).flatMap(([name, other]) => {
    const kept = names.has(name) ? undefined : keptValue(other);
    return kept === undefined ? [] : [[name, kept.value]];
  });
  return { value: Object.fromEntries([...entries, ...others].filter(([, value]) => value !== undefined)) };
}
