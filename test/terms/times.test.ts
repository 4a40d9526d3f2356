import assert from 'node:assert/strict';
import {
  ageOf,
  dateOf,
  isoTime,
  millisecondsBetween,
  millisecondsOf,
  millisecondsOfHttpDate,
  startOfLocalDay,
} from '../../src/terms/times.ts';

const ZONES = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata'];
const HOUR_MS = 3_600_000;

describe('a time in the wire format', () => {
  const { TZ } = process.env;

  afterEach(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  it('is read to the microsecond', () => {
    assert.equal(millisecondsOf('1970-01-01T00:00:01.234567+00:00'), 1234.567);
    assert.equal(millisecondsOf('1970-01-01T00:00:01.2345Z'), 1234.5);
    assert.equal(millisecondsOf(1234), 1234);
  });

  for (const zone of ZONES) {
    it(`is the same with and without an offset in ${zone}`, () => {
      process.env.TZ = zone;
      assert.equal(millisecondsOf('2026-11-21T10:00:00'), Date.UTC(2026, 10, 21, 10));
      assert.equal(millisecondsOf('2026-11-21T10:00:00.000000'), Date.UTC(2026, 10, 21, 10));
      assert.equal(millisecondsOf('2026-11-21T10:00:00+00:00'), Date.UTC(2026, 10, 21, 10));
      assert.equal(millisecondsOf('2026-11-21T10:00:00Z'), Date.UTC(2026, 10, 21, 10));
      assert.equal(millisecondsOf('2026-11-21T12:00:00+0200'), Date.UTC(2026, 10, 21, 10));
      assert.equal(dateOf('2026-11-21T10:00:00')?.getTime(), Date.UTC(2026, 10, 21, 10));
    });

    it(`of three hours ago is three hours old in ${zone}`, () => {
      process.env.TZ = zone;
      const now = Date.UTC(2026, 10, 21, 10);
      const then = isoTime(now - 3 * HOUR_MS);
      assert.deepEqual(ageOf(then, now), { unit: 'h', value: 3 });
      assert.deepEqual(ageOf(then.replace('Z', ''), now), { unit: 'h', value: 3 });
    });
  }

  it('is undefined when there is none', () => {
    for (const none of [null, undefined, '', 'soon', Number.NaN]) {
      assert.equal(millisecondsOf(none), undefined);
      assert.equal(dateOf(none), undefined);
      assert.equal(ageOf(none, 0), undefined);
      assert.equal(millisecondsBetween(none, '2026-11-21T10:00:00'), undefined);
    }
    assert.equal(dateOf(1e300), undefined);
  });
});

describe('an age', () => {
  const now = Date.UTC(2026, 10, 21, 10);
  const ageAfter = (ms: number) => ageOf(now - ms, now);

  it('is in the largest unit of which it has at least one, and a date from two weeks on', () => {
    assert.deepEqual(ageAfter(-5_000), { unit: 'now' });
    assert.deepEqual(ageAfter(59_999), { unit: 'now' });
    assert.deepEqual(ageAfter(60_000), { unit: 'min', value: 1 });
    assert.deepEqual(ageAfter(HOUR_MS - 1), { unit: 'min', value: 59 });
    assert.deepEqual(ageAfter(24 * HOUR_MS - 1), { unit: 'h', value: 23 });
    assert.deepEqual(ageAfter(24 * HOUR_MS), { unit: 'd', value: 1 });
    assert.deepEqual(ageAfter(14 * 24 * HOUR_MS), {
      unit: 'date',
      date: new Date(now - 14 * 24 * HOUR_MS),
    });
  });
});

describe('times of other kinds', () => {
  it('may be dates in HTTP headers', () => {
    assert.equal(millisecondsOfHttpDate('Sat, 21 Nov 2026 10:00:00 GMT'), Date.UTC(2026, 10, 21, 10));
    assert.equal(millisecondsOfHttpDate('later'), undefined);
  });

  it('may be days in the local time zone', () => {
    assert.equal(startOfLocalDay('2026-11-21'), new Date(2026, 10, 21).getTime());
    assert.equal(startOfLocalDay('2026-13-21'), undefined);
    assert.equal(startOfLocalDay('2026-02-31'), undefined);
    assert.equal(startOfLocalDay('21.11.2026'), undefined);
  });
});
