import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { WorkClock } from '../../../../src/server/runtimes/process/work-clock.ts';

describe('the clock of a process', () => {
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
    mock.timers.tick(ms);
  };

  beforeEach(() => {
    now = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('calls back after its time, without the time it was stopped', () => {
    const clock = new WorkClock();
    let rang = 0;
    clock.after(100, () => rang++);
    pass(60);
    const resume = clock.stop();
    pass(10_000);
    assert.equal(rang, 0);
    resume();
    pass(39);
    assert.equal(rang, 0);
    pass(1);
    assert.equal(rang, 1);
    clock.stop()();
    pass(10_000);
    assert.equal(rang, 1);
  });

  it('continues when nothing stops it any longer, whoever stopped it first', () => {
    const clock = new WorkClock();
    let rang = 0;
    clock.after(100, () => rang++);
    const first = clock.stop();
    const second = clock.stop();
    first();
    // Ending one stop does not end the other.
    first();
    assert.equal(clock.isStopped, true);
    pass(10_000);
    assert.equal(rang, 0);
    second();
    assert.equal(clock.isStopped, false);
    pass(60);
    // Ending a stop twice does not start the timers again.
    first();
    second();
    pass(40);
    assert.equal(rang, 1);
  });

  it('starts a timer set while stopped when it continues', () => {
    const clock = new WorkClock();
    let rang = 0;
    const resume = clock.stop();
    clock.after(100, () => rang++);
    pass(1_000);
    resume();
    pass(99);
    assert.equal(rang, 0);
    pass(1);
    assert.equal(rang, 1);
  });

  it('never runs the callback of a canceled timer', () => {
    const clock = new WorkClock();
    let rang = 0;
    const callOff = clock.after(100, () => rang++);
    const resume = clock.stop();
    callOff();
    resume();
    pass(1_000);
    assert.equal(rang, 0);
  });
});
