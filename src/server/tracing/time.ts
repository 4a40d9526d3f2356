/** Times of runs: microseconds since 1970 in UTC, which an integer holds exactly until the year 2255. */

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d\d(?::?\d\d)?)?$/;

/**
 * Reads a time as clients send it: ISO 8601 to the microsecond (without an offset it is UTC), or milliseconds since 1970.
 * @returns microseconds since 1970; `undefined` when it is no time.
 */
export function parseTime(value: string | number): number | undefined {
  if (typeof value === 'number') {
    const micros = Math.round(value * 1000);
    return Number.isSafeInteger(micros) ? micros : undefined;
  }
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

/** Microseconds since 1970 of a time in UTC; `undefined` when there is no such time. */
export function microsOf(time: {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  micros: number;
}): number | undefined {
  const { year, month, day, hour, minute, second } = time;
  if (month > 12 || day > 31 || hour > 24 || minute > 59 || second > 60) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) * 1000 + time.micros;
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0));
}

/** ISO 8601 in UTC with six digits of a second, as the public interface writes times. */
export function formatTime(micros: number): string {
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
