import assert from 'node:assert/strict';
import { Deaths } from '../../../../src/server/runtimes/process/deaths.ts';

describe('a process that ends by itself', () => {
  const STEADY_MS = 10_001;
  const pausesAfter = (...livedMs: number[]) => {
    const deaths = new Deaths();
    return livedMs.map((lived) => {
      deaths.note(lived);
      return deaths.pauseMs;
    });
  };
  const kills = (deaths: Deaths) => Array.from({ length: 4 }, () => deaths.noteKill());

  it('is started again immediately after it has run steadily, and otherwise after pauses that double', () => {
    assert.deepEqual(pausesAfter(STEADY_MS, 1, 1, 1, STEADY_MS, 1), [0, 500, 1000, 2000, 0, 500]);
    assert.equal(pausesAfter(...Array.from({ length: 20 }, () => 1)).at(-1), 30_000);
  });

  it('is started again after each of three kills in a row while it loads', () => {
    assert.deepEqual(kills(new Deaths()), [true, true, true, false]);
  });

  it('may be killed while it loads, however often it has ended after loading', () => {
    const deaths = new Deaths();
    for (let end = 0; end < 3; end++) deaths.note(1);
    assert.deepEqual(kills(deaths), [true, true, true, false]);
    deaths.note(1);
    assert.deepEqual(kills(deaths), [true, true, true, false]);
  });

  it('may be killed three times again once it has loaded', () => {
    const deaths = new Deaths();
    deaths.noteKill();
    deaths.noteLoaded();
    assert.deepEqual(kills(deaths), [true, true, true, false]);
  });

  it('pauses before it is loaded again after a kill', () => {
    const deaths = new Deaths();
    deaths.noteKill();
    assert.equal(deaths.pauseMs, 500);
    deaths.reset();
    assert.equal(deaths.pauseMs, 0);
  });
});
