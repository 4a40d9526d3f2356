// Schemas of fields that many resources share.

import { z } from 'zod';

/** Any UUID version, dashes required; written in lower case. */
export const Uuid = z.guid('Must be a UUID.').transform((id) => id.toLowerCase());

/** A UUID that may come without dashes, as single-run tracing posts send it; always written with dashes. */
export const LooseUuid = z
  .string()
  .regex(
    /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/,
    'Must be a UUID.',
  )
  .transform((id) => {
    const lower = id.toLowerCase();
    if (lower.length === 36) return lower;
    return lower.replaceAll('-', '').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  });

/** ISO 8601. A time without an offset is in UTC. */
export const Timestamp = z.iso
  .datetime({ offset: true, local: true })
  .transform((time) => (/(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`));

/** A hundred years, which keeps dates within JavaScript's range. */
const MAX_SECONDS = 100 * 365 * 86_400;
const TOO_LONG = 'Must be at most a hundred years.';

/** Seconds that something waits. */
export const DelaySeconds = z.number().min(0).max(MAX_SECONDS, TOO_LONG);

/** Minutes that something lives. */
export const LifetimeMinutes = z
  .number()
  .positive()
  .max(MAX_SECONDS / 60, TOO_LONG);

export const JsonObject = z.record(z.string(), z.unknown());
export type JsonObject = z.output<typeof JsonObject>;

/** A field that clients also send as `null` when they mean its default. */
export function defaulted<Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>) {
  return schema.nullish().transform((value) => value ?? fallback);
}

/** An object field that clients send as `null` when they mean none. */
export const OptionalObject = defaulted(JsonObject, {});

/** Text that every database keeps unchanged: PostgreSQL allows no null character. */
export function kept(text: z.ZodString): z.ZodString {
  return text.refine((value) => !value.includes('\0'), 'Must not contain null characters.');
}

/** The maximum length of a name, which must fit into the 2,704 bytes of a row in PostgreSQL's sorted indexes. */
const MAX_NAME = 800;

/** A name that things are found or ordered by. */
export const IndexedName = z.string().max(MAX_NAME);

/** An address to post to. An address without a host would be on this server, which is never called. */
export const WebhookUrl = z
  .string()
  .min(1)
  .max(65_536)
  .refine(
    (url) => url.startsWith('/') || (/^https?:/i.test(url) && URL.canParse(url)),
    'Must be a URL that starts with http:// or https://.',
  );

export const SortOrder = z.enum(['asc', 'desc']);

export const LogLevel = z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']);
export type LogLevel = z.output<typeof LogLevel>;

/** `true` and `false`, and the `1`, `0`, `True` and `False` that some clients send. */
export const QueryBoolean = z
  .enum(['true', 'false', '1', '0', 'True', 'False'])
  .transform((value) => value === 'true' || value === '1' || value === 'True');

export const QueryInteger = z
  .string()
  .regex(/^-?\d+$/, 'Must be an integer.')
  .transform(Number);

/** A repeated query parameter, or as older clients send it, one JSON array or comma-separated list. */
export const QueryList = z.union([z.array(z.string()), z.string()]).transform((value) => {
  const items = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    if (item.startsWith('[')) {
      const parsed = z.array(z.string()).safeParse(parseJson(item));
      if (parsed.success) return parsed.data;
    }
    return item.split(',').filter((part) => part !== '');
  });
});

/** A JSON object in a query, as text. */
export const QueryJsonObject = z
  .string()
  .refine((text) => JsonObject.safeParse(parseJson(text)).success, 'Must be a JSON object as text.');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `limit` and `offset` in the body of a list request. */
export function paging(maximum: number, defaultLimit: number) {
  return {
    limit: z.int().min(1).max(maximum).default(defaultLimit),
    offset: z.int().min(0).default(0),
  };
}

/** `limit` and `offset` of a query: integers as strings. */
export function queryPaging(maximum: number, defaultLimit: number) {
  return {
    limit: QueryInteger.pipe(z.int().min(1).max(maximum)).default(defaultLimit),
    offset: QueryInteger.pipe(z.int().min(0)).default(0),
  };
}
