import assert from 'node:assert/strict';
import { formatTime, parseTime } from '../../../../src/server/tracing/database/time.ts';

describe('a time from a client', () => {
  it('is in the year that it names, and the most distant number if that is too long ago', () => {
    for (const time of ['1700-02-28', '1899-12-31', '1999-01-01', '2000-02-29', '2024-02-29']) {
      assert.equal(formatTime(parseTime(`${time}T00:00:00Z`) ?? 0), `${time}T00:00:00.000000+00:00`);
    }
    for (const time of ['0000-02-29', '0001-01-01', '0099-12-31', '1600-02-29']) {
      assert.equal(parseTime(`${time}T00:00:00Z`), Number.MIN_SAFE_INTEGER, time);
    }
  });

  it('is refused when the calendar or the clock has no such time', () => {
    for (const time of [
      ...['2026-02-30T00:00:00Z', '2026-02-29T00:00:00', '1900-02-29T00:00:00Z', '2026-04-31T12:00:00+02:00'],
      ...['2026-00-10T00:00:00Z', '2026-13-10T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z'],
      ...['2026-01-01T24:00:01Z', '2026-01-01T25:00:00Z', '2026-01-01T00:60:00Z', '2026-01-01T00:00:61Z'],
    ]) {
      assert.equal(parseTime(time), undefined, time);
    }
  });

  it('may be the end of a day, or a leap second', () => {
    assert.equal(parseTime('2026-01-01T24:00:00Z'), parseTime('2026-01-02T00:00:00Z'));
    assert.equal(parseTime('2016-12-31T23:59:60Z'), parseTime('2017-01-01T00:00:00Z'));
  });
});
