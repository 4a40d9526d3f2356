import assert from 'node:assert/strict';
import { checkTiming, nextRun } from '../../../../src/server/agent-server/crons/schedule.ts';

const daily = { schedule: '30 2 * * *', timezone: null, end_time: null, enabled: true };

describe('the schedule of a cron', () => {
  it('is in UTC without a time zone', () => {
    assert.equal(nextRun(daily, new Date('2026-06-01T00:00:00Z')), '2026-06-01T02:30:00.000Z');
  });

  it('follows its time zone through the change of the clocks', () => {
    const paris = { ...daily, schedule: '0 12 * * *', timezone: 'Europe/Paris' };
    assert.equal(nextRun(paris, new Date('2026-03-28T12:00:00Z')), '2026-03-29T10:00:00.000Z');
    assert.equal(nextRun(paris, new Date('2026-10-24T12:00:00Z')), '2026-10-25T11:00:00.000Z');
  });

  it('stops at its end time, and does not run while paused', () => {
    const after = new Date('2026-06-01T00:00:00Z');
    assert.equal(nextRun({ ...daily, end_time: '2026-06-01T02:00:00Z' }, after), null);
    assert.equal(nextRun({ ...daily, enabled: false }, after), null);
  });

  it('is refused when it is not valid', () => {
    for (const schedule of ['', 'hello', '0 0 30 2 *', '* * *', '99 * * * *', '2030-01-01T00:00:00']) {
      assert.throws(() => checkTiming({ schedule, timezone: null }), /not a valid cron schedule/, schedule);
    }
    assert.throws(() => checkTiming({ schedule: '* * * * *', timezone: 'Nowhere' }), /not a time zone/);
  });
});
