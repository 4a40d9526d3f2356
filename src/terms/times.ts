/**
 * Converts a time from the API to milliseconds since 1970, with microseconds as fractions. A time without an offset is
 * UTC (docs/interface/tracing.md), although `Date` would treat it as local time.
 * @param time ISO 8601, or milliseconds since 1970
 * @returns undefined when it is not a time
 */
export function millisecondsOf(time: string | number | null | undefined): number | undefined {
  if (typeof time === 'number') return Number.isFinite(time) ? time : undefined;
  if (!time) return undefined;
  const whole = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`);
  if (Number.isNaN(whole)) return undefined;
  const micros = /\.\d{3}(\d{1,3})/.exec(time)?.[1];
  return micros === undefined ? whole : whole + Number(micros.padEnd(3, '0')) / 1000;
}

/** Converts a time from the API to a date, whose `toLocale…` methods format it in the local time zone. */
export function dateOf(time: string | number | null | undefined): Date | undefined {
  const ms = millisecondsOf(time);
  if (ms === undefined) return undefined;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The milliseconds from one time to another; undefined when one is unknown. */
export function millisecondsBetween(
  start: string | number | null | undefined,
  end: string | number | null | undefined,
): number | undefined {
  const [from, to] = [millisecondsOf(start), millisecondsOf(end)];
  return from === undefined || to === undefined ? undefined : to - from;
}

/** @param ms milliseconds since 1970 @returns the time as the API writes it, in UTC */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** @param date the date in an HTTP header, which names its zone (RFC 9110, 5.6.7) @returns ms since 1970 */
export function millisecondsOfHttpDate(date: string): number | undefined {
  const ms = Date.parse(date);
  return Number.isNaN(ms) ? undefined : ms;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MAX_DAYS = 14;

/** How long ago something was, in a single unit for short texts; after two weeks, its date. */
export type Age =
  | { readonly unit: 'now' }
  | { readonly unit: 'min' | 'h' | 'd'; readonly value: number }
  | { readonly unit: 'date'; readonly date: Date };

/** @param now ms since 1970 @returns undefined when it is not a time */
export function ageOf(time: string | number | null | undefined, now: number): Age | undefined {
  const date = dateOf(time);
  if (date === undefined) return undefined;
  const age = now - date.getTime();
  if (age < MINUTE_MS) return { unit: 'now' };
  if (age < HOUR_MS) return { unit: 'min', value: Math.floor(age / MINUTE_MS) };
  if (age < DAY_MS) return { unit: 'h', value: Math.floor(age / HOUR_MS) };
  if (age < MAX_DAYS * DAY_MS) return { unit: 'd', value: Math.floor(age / DAY_MS) };
  return { unit: 'date', date };
}

/** @param day `2026-11-28` @returns when it begins in the local time zone, in ms; undefined when there is no such day */
export function startOfLocalDay(day: string): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const exists = startOfUtcDay(Number(year), Number(month), Number(date)) !== undefined;
  return exists ? new Date(`${day}T00:00:00`).getTime() : undefined;
}

/** @param month 1 to 12 @returns when a day begins in UTC, in ms since 1970; undefined when there is no such day */
export function startOfUtcDay(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  // `Date` reads February 31 as March 3, and `Date.UTC` the year 26 as 1926.
  date.setUTCFullYear(year, month - 1, day);
  const isSame = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isSame ? date.getTime() : undefined;
}
