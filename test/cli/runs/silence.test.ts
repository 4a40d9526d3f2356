import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Silence } from '../../../src/cli/runs/silence.ts';

describe('a run that shows nothing', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('says for how long, less and less often, and starts over after something has arrived', () => {
    const said: number[] = [];
    const silence = new Silence((seconds) => said.push(seconds));
    const pass = (seconds: number) => {
      for (let second = 0; second < seconds; second++) mock.timers.tick(1_000);
      return said.splice(0);
    };
    assert.deepEqual(pass(9), []);
    silence.restart();
    assert.deepEqual(pass(9), []);
    assert.deepEqual(pass(1), [10]);
    assert.deepEqual(pass(490), [30, 60, 120, 240, 480]);
    silence.restart();
    assert.deepEqual(pass(30), [10, 30]);
    silence.end();
    assert.deepEqual(pass(1_000), []);
  });
});
