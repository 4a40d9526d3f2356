import assert from 'node:assert/strict';
import {
  logText,
  problemOf,
  problemOfLog,
} from '../../../../src/extension/panels/run/breakpoint-expressions.ts';
import { Breakpoints, type StopAt } from '../../../../src/extension/panels/run/breakpoints.ts';
import {
  type Breakpoint,
  type RunOptions,
  usualOptions,
} from '../../../../src/extension/panels/run/messages.ts';

const at = (state: unknown, next: readonly string[] = ['work']): StopAt => ({ state, next, ran: ['plan'] });
const stopBefore = (...breakpoints: Breakpoint[]): RunOptions => ({
  ...usualOptions,
  interrupt_before: ['work'],
  breakpoints,
});

describe('a breakpoint of a node', () => {
  const keeps = (condition: string, state: unknown) =>
    new Breakpoints().decide(stopBefore({ node: 'work', condition }), at(state)).isKept;

  it('stops only if its condition on the state is true', () => {
    const state = {
      count: 3,
      ratio: 0.5,
      topic: 'tides',
      messages: [{ type: 'human' }, { type: 'ai', tool_calls: [] }],
    };
    for (const [condition, expected] of [
      ['state.count > 2', true],
      ['state.count + 1 == 4', true],
      ['state.count % 2 == 0', false],
      ['state.ratio < 1', true],
      ['state.topic == "tides" && size(state.messages) == 2', true],
      ['state.messages[size(state.messages) - 1].type == "human"', false],
      ['state.messages.exists(m, m.type == "human")', true],
      ['has(state.error)', false],
      ['"work" in next', true],
    ] as const)
      assert.equal(keeps(condition, state), expected, condition);
  });

  it('stops and says why when its condition cannot be evaluated', () => {
    for (const [condition, reason] of [
      ['state.missing > 1', /No such key: missing/],
      ['state.count', /3 must be true or false/],
      ['state.constructor.name == "x"', /No such key: constructor/],
      ['process.exit()', /Unknown variable: process/],
      ['state.count >', /The expression is incomplete\./],
    ] as const) {
      const decision = new Breakpoints().decide(stopBefore({ node: 'work', condition }), at({ count: 3 }));
      assert.equal(decision.isKept, true);
      assert.match(decision.notes[0]?.text ?? '', reason);
      assert.equal(decision.notes[0]?.kind, 'problem');
    }
  });

  it('stops from its hit count on, counts only hits whose condition is true, and starts over with every input', () => {
    const breakpoints = new Breakpoints();
    const options = stopBefore({ node: 'work', condition: 'state.count != 1', hit_count: 2 });
    const stops = () => [0, 1, 2, 3].map((count) => breakpoints.decide(options, at({ count })).isKept);
    assert.deepEqual(stops(), [false, false, true, true]);
    breakpoints.begin();
    assert.deepEqual(stops(), [false, false, true, true]);
  });

  it('logs instead of stopping, with values of the state in braces', () => {
    const log = 'topic is {state.topic}, {size(state.steps) + 1} steps, {state.steps}, {state.missing}';
    const { isKept, notes } = new Breakpoints().decide(
      stopBefore({ node: 'work', log }),
      at({ topic: 'tides', steps: [1, 2.5] }),
    );
    assert.equal(isKept, false);
    assert.deepEqual(notes, [
      { node: 'work', kind: 'log', text: 'topic is tides, 3 steps, [1,2.5], {No such key: missing}' },
    ]);
  });

  it('does not let a run pass that another breakpoint, or the graph itself, has stopped', () => {
    const never = { node: 'work', condition: 'false' };
    const decide = (options: RunOptions, stop: StopAt) => new Breakpoints().decide(options, stop).isKept;
    assert.equal(decide(stopBefore(never), at({}, ['other'])), true);
    assert.equal(decide({ ...stopBefore(never), interrupt_after: ['plan'] }, at({})), true);
    assert.equal(
      decide({ ...stopBefore(never), interrupt_before: ['work', 'rest'] }, at({}, ['work', 'rest'])),
      true,
    );
    assert.equal(
      decide(
        { ...stopBefore(never, { node: 'plan', condition: 'false' }), interrupt_after: ['plan'] },
        at({}),
      ),
      false,
    );
  });

  it('says what is wrong with an expression as it is typed', () => {
    assert.equal(problemOf('state.a > 1'), undefined);
    assert.equal(problemOf('state.a >'), 'The expression is incomplete.');
    assert.match(problemOf('count > 1') ?? '', /^Unknown variable: count/);
    assert.equal(problemOfLog('no braces, {state.a}'), undefined);
    assert.match(problemOfLog('{state.}') ?? '', /./);
  });

  it('always terminates, whatever the expression', () => {
    const deep = `${'('.repeat(200)}true${')'.repeat(200)}`;
    assert.match(problemOf(deep) ?? '', /./);
    assert.equal(logText('{', { state: {}, next: [] }), '{');
  });
});
