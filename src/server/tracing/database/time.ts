/** Times of traces: microseconds since 1970 in UTC, which an integer holds exactly until the year 2255. */
import { startOfUtcDay } from '../../../terms/times.ts';
import { invalid } from '../../http/errors.ts';

export const DAY_MICROS = 86_400_000_000;

/** Stored times are in these years: a number beyond the exact range could be written but never be read again. */
const FIRST_YEAR = 1700;
const LAST_YEAR = 2249;
const MIN_TIME = Date.UTC(FIRST_YEAR, 0) * 1000;
const MAX_TIME = Date.UTC(LAST_YEAR + 1, 0) * 1000 - 1;
export const STORABLE_YEARS = `${FIRST_YEAR} to ${LAST_YEAR}`;

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d\d(?::?\d\d)?)?$/;

/**
 * Reads a time as clients send it: ISO 8601 to the microsecond (without an offset it is UTC), or milliseconds
 * since 1970. The result is for comparisons: a time that a number cannot hold exactly becomes the most distant
 * one that it can.
 * @returns microseconds since 1970; `undefined` when it is not a time.
 */
export function parseTime(value: string | number): number | undefined {
  const micros = typeof value === 'number' ? Math.round(value * 1000) : microsOfIso(value);
  return micros === undefined || Number.isNaN(micros) ? undefined : clampMicros(micros);
}

/**
 * Reads a time that is only compared with others.
 * @param loc the location of the value in the request, for the error.
 * @returns microseconds since 1970.
 * @throws HttpError 422 naming the field, for a value that is not a time.
 */
export function requireTime(value: string | number, loc: readonly (string | number)[]): number {
  const micros = parseTime(value);
  if (micros === undefined) throw invalid([...loc], 'Must be a time in ISO 8601.', 'datetime');
  return micros;
}

/**
 * Reads a time that will be stored. Every time from clients passes through here before it is stored.
 * @param loc the location of the value in the request, for the error.
 * @returns microseconds since 1970.
 * @throws HttpError 422 naming the field, for a value that is not a time or cannot be stored.
 */
export function parseStorableTime(value: string | number, loc: readonly (string | number)[]): number {
  const micros = requireTime(value, loc);
  if (isStorable(micros)) return micros;
  throw invalid([...loc], `Must be a time in the years ${STORABLE_YEARS}.`, 'datetime_range');
}

/**
 * Reads a time that will be stored from a field of a request's body.
 * @returns microseconds since 1970; undefined if the field is absent or null.
 * @throws HttpError 422 as `parseStorableTime` does.
 */
export function parseBodyTime(value: string | number | null | undefined, field: string): number | undefined {
  return value === undefined || value === null ? undefined : parseStorableTime(value, ['body', field]);
}

/** Whether a time, in microseconds, can be stored and read again. */
export function isStorable(micros: number): boolean {
  return micros >= MIN_TIME && micros <= MAX_TIME;
}

function clampMicros(micros: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(micros, Number.MAX_SAFE_INTEGER));
}

function microsOfIso(value: string): number | undefined {
  const match = ISO.exec(value);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '', zone = 'Z'] = match;
  const micros = microsOf({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    micros: Number(fraction.padEnd(6, '0').slice(0, 6)),
  });
  return micros === undefined ? undefined : micros - offsetMinutes(zone) * 60_000_000;
}

/** Converts a time in UTC to microseconds since 1970; `undefined` when there is no such time. */
export function microsOf(time: {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  micros: number;
}): number | undefined {
  const { hour, minute, second } = time;
  const day = startOfUtcDay(time.year, time.month, time.day);
  if (day === undefined || hour > 24 || minute > 59 || second > 60) return undefined;
  const micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + time.micros;
  // A day may end at 24:00, and not later.
  return hour === 24 && micros > DAY_MICROS ? undefined : day * 1000 + micros;
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0));
}

/** Formats a time as ISO 8601 in UTC with six fractional digits, as the public interface does; accepts any number. */
export function formatTime(stored: number): string {
  const micros = clampMicros(stored);
  const milliseconds = Math.floor(micros / 1000);
  const rest = micros - milliseconds * 1000;
  const iso = new Date(milliseconds).toISOString();
  return `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}+00:00`;
}

export function formatTimeOrNull(micros: number | null): string | null {
  return micros === null ? null : formatTime(micros);
}

export function nowMicros(): number {
  return Date.now() * 1000;
}
