import { isDeepStrictEqual } from 'node:util';
import { validate as isUuid } from 'uuid';
import { z } from 'zod';
import type { AuthQuestion } from '../../../contract/endpoint.ts';
import { JsonObject } from '../../../contract/fields.ts';
import { defaultAssistantId } from '../data/assistant-store.ts';
import { HandlerError } from './handler-error.ts';

/** The parts of a request that may contain a field, in the order in which they are searched. */
const PARTS = ['body', 'query', 'params'] as const;
type Part = (typeof PARTS)[number];

/** The schemas of a request's parts. */
export type Schemas = { readonly [P in Part]?: z.ZodType | undefined };
/** The parts of a request. */
export type Parts = { readonly [P in Part]?: unknown };

/** Whether a part of a request may have a field. */
export function hasField(schema: z.ZodType | undefined, name: string): boolean {
  return schema instanceof z.ZodObject && name in schema.shape;
}

/** A field of a request, as handlers see it. */
interface Field {
  readonly name: string;
  /** The name of the object within the value that contains the field; undefined if the value itself does. */
  readonly group: string | undefined;
  readonly places: readonly { readonly part: Part; readonly key: string; readonly schema: z.ZodType }[];
}

/** The public SDK's names (`Auth.types`) for fields that have other names in requests. */
const SDK_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'store:search': { namespace_prefix: 'namespace' },
  'store:list_namespaces': { prefix: 'namespace' },
};

/**
 * The name of the object in the SDK's types that contains all fields of a request except those `beside` it.
 */
const GROUPS: Readonly<Record<string, { readonly name: string; readonly beside: readonly string[] }>> = {
  'threads:create_run': {
    name: 'kwargs',
    beside: ['thread_id', 'assistant_id', 'metadata', 'multitask_strategy', 'if_not_exists', 'after_seconds'],
  },
  'crons:create': {
    name: 'payload',
    beside: ['thread_id', 'metadata', 'schedule', 'timezone', 'end_time', 'enabled', 'on_run_completed'],
  },
  'crons:update': {
    name: 'payload',
    beside: ['cron_id', 'metadata', 'schedule', 'timezone', 'end_time', 'enabled', 'on_run_completed'],
  },
};

/** A label that a handler adds. Identities are often email addresses, so it may contain dots. */
const Label = z
  .string()
  .min(1)
  .max(256)
  .refine(
    (label) => !label.includes('\0') && !label.includes('\u001f'),
    'Labels must not contain control characters.',
  );
const Labels = z.array(Label).max(64);

/**
 * The value that a handler receives and may change: all fields of the request by name, absent ones as null.
 */
export function eventValue(permission: AuthQuestion, schemas: Schemas, parts: Parts): JsonObject {
  const value: JsonObject = {};
  for (const field of fieldsOf(permission, schemas)) {
    const shown = shownAs(field, readField(field, parts));
    if (field.group === undefined) value[field.name] = shown;
    else value[field.group] = { ...JsonObject.safeParse(value[field.group]).data, [field.name]: shown };
  }
  // A new resource has metadata even if the request has none.
  return permission.action === 'create' ? { metadata: {}, ...value } : value;
}

/**
 * Applies a handler's changes to the parts of a request that contain the changed fields. A field that the
 * handler removed counts as not sent. Unknown names are ignored, as on the public servers.
 * @param options.before the value that the handler received.
 * @param options.after the value that it returned.
 * @returns the changed parts.
 * @throws HandlerError for a change that the request's schema does not allow.
 */
export function changedParts(
  permission: AuthQuestion,
  schemas: Schemas,
  parts: Parts,
  { before, after }: { before: JsonObject; after: JsonObject },
): Partial<Record<Part, JsonObject>> {
  const changed: Partial<Record<Part, JsonObject>> = {};
  for (const field of fieldsOf(permission, schemas)) {
    const now = memberOf(after, field);
    if (isSame(memberOf(before, field), now)) continue;
    for (const [at, { part, key, schema }] of field.places.entries()) {
      const fields = changed[part] ?? { ...JsonObject.safeParse(parts[part]).data };
      const read = readChange(schema, at === 0 ? now : null, part);
      if (!read.success) {
        const name = [field.group, field.name].filter((label) => label !== undefined).join('.');
        throw new HandlerError(
          `The auth handler of ${permission.on}:${permission.action} changed ${name} to ${JSON.stringify(now) ?? 'nothing'}: ` +
            read.error.issues.map(({ message }) => message).join(' '),
        );
      }
      if (read.data === undefined) delete fields[key];
      else fields[key] = read.data;
      changed[part] = fields;
    }
  }
  return changed;
}

/** The fields of a request, each with all parts that may contain it. */
function fieldsOf(permission: AuthQuestion, schemas: Schemas): Field[] {
  const event = `${permission.on}:${permission.action}`;
  const group = GROUPS[event];
  const fields = new Map<string, Field & { places: Field['places'][number][] }>();
  for (const part of PARTS) {
    const shape = schemas[part] instanceof z.ZodObject ? schemas[part].shape : {};
    for (const [key, schema] of Object.entries(shape)) {
      // This metadata selects states or versions. A handler that adds an owner to metadata means the resource
      // instead.
      if (permission.action === 'read' && key === 'metadata') continue;
      const name = SDK_NAMES[event]?.[key] ?? key;
      const field = fields.get(name) ?? {
        name,
        group: group === undefined || group.beside.includes(name) ? undefined : group.name,
        places: [],
      };
      const isNamespace = permission.on === 'store' && name === 'namespace';
      field.places.push({ part, key, schema: isNamespace ? namespaceLike(schema) : schema });
      fields.set(name, field);
    }
  }
  return [...fields.values()];
}

/**
 * The schema of a namespace that a handler has set. It may be empty or absent only if the request may omit
 * it.
 */
function namespaceLike(schema: z.ZodType): z.ZodType {
  const isOptional = schema.safeParse(null).success;
  return isOptional ? Labels.nullish() : Labels.min(1, 'A namespace needs at least one label.');
}

/** The value of a field in the request; null if it is absent. */
function readField({ places }: Field, parts: Parts): unknown {
  for (const { part, key } of places) {
    const value = JsonObject.safeParse(parts[part]).data?.[key];
    if (value !== undefined && value !== null) return value;
  }
  return null;
}

/** The value of a field as handlers see it. */
function shownAs({ name }: Field, value: unknown): unknown {
  if (name === 'metadata') return value ?? {};
  // Handlers get the ID of the default assistant, so that a graph's name cannot bypass a handler that checks
  // the ID.
  if (name === 'assistant_id' && typeof value === 'string' && !isUuid(value))
    return defaultAssistantId(value);
  return value;
}

function memberOf(value: JsonObject, { group, name }: Field): unknown {
  const owner = group === undefined ? value : JsonObject.safeParse(value[group]).data;
  return owner?.[name] ?? null;
}

/**
 * Whether a handler left a value unchanged. Handlers receive JSON, so a value that only equals its JSON form
 * (for example, without `undefined` fields) is unchanged too.
 */
function isSame(before: unknown, after: unknown): boolean {
  return isDeepStrictEqual(before, after) || isDeepStrictEqual(JSON.parse(JSON.stringify(before)), after);
}

/**
 * Parses a changed field. Null means that the handler removed it. In a path or query, numbers and booleans
 * are text.
 */
function readChange(schema: z.ZodType, value: unknown, part: Part) {
  const read = schema.safeParse(value ?? undefined);
  if (read.success || part === 'body' || (typeof value !== 'number' && typeof value !== 'boolean'))
    return read;
  return schema.safeParse(String(value));
}
