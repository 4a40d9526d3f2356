import assert from 'node:assert/strict';
import type { ThreadState } from '../../../../src/contract/agent-server/threads.ts';
import { pastDetails, pastSteps } from '../../../../src/extension/panels/run/past-steps.ts';

interface Given {
  readonly source: 'input' | 'loop' | 'update';
  readonly next: readonly string[];
  readonly values?: unknown;
  readonly waits?: boolean;
}

/** A thread's states as agent servers list them, newest first; each is the child of the one given before it. */
function thread(...given: readonly Given[]): ThreadState[] {
  return given
    .map(({ source, next, values = {}, waits = false }, index): ThreadState => {
      const isNewest = index === given.length - 1;
      return {
        values,
        next: [...next],
        tasks: next.map((name, place) => ({
          id: `${index}.${place}`,
          name,
          path: name === 'work' ? ['__pregel_push', place, false] : ['__pregel_pull', name],
          error: null,
          interrupts: waits ? [{ id: 'i', value: 'Sure?' }] : [],
          result: isNewest ? null : { by: name },
        })),
        metadata: { source, step: index - 1 },
        checkpoint: { checkpoint_id: `c${index}` },
        parent_checkpoint: index === 0 ? null : { checkpoint_id: `c${index - 1}` },
      };
    })
    .reverse();
}

const told = (states: readonly ThreadState[], from?: string) =>
  pastSteps(states, from).map(
    ({ origin, isLast, tasks }) =>
      `${origin}: ${tasks.map(({ node, phase }) => `${node} ${phase}`).join(', ')}${isLast ? ' (last)' : ''}`,
  );

describe('the supersteps in the history of a thread', () => {
  const states = thread(
    { source: 'input', next: ['__start__'] },
    { source: 'loop', next: ['plan'], values: { topic: 'tides' } },
    { source: 'loop', next: ['work', 'work'], values: { topic: 'tides', planned: true } },
    { source: 'loop', next: ['close'], values: { worked: true } },
    { source: 'loop', next: [], values: { closed: true } },
  );

  it('are those between its states, from the input to the end', () => {
    assert.deepEqual(told(states), [
      'start: plan done',
      'step: work done, work done',
      'step: close done (last)',
    ]);
    assert.deepEqual(told(states, 'c2'), ['start: plan done']);
  });

  it('leave out nodes that a breakpoint kept from running, and include those that wait for an answer', () => {
    const stopped = (waits: boolean) =>
      thread(
        { source: 'input', next: ['__start__'] },
        { source: 'loop', next: ['plan'] },
        { source: 'loop', next: ['ask'], waits },
      );
    assert.deepEqual(told(stopped(false)), ['start: plan done']);
    assert.deepEqual(told(stopped(true)), ['start: plan done', 'step: ask waiting']);
  });

  it('do not follow from a superstep when the state was edited in between', () => {
    const edited = thread(
      { source: 'input', next: ['__start__'] },
      { source: 'loop', next: ['plan'] },
      { source: 'update', next: ['close'] },
      { source: 'loop', next: [] },
    );
    assert.deepEqual(told(edited), ['elsewhere: close done (last)']);
  });

  it('have the input and output of a node, and the state after it', () => {
    assert.deepEqual(pastDetails(states, undefined, 'plan'), {
      input: { topic: 'tides' },
      output: { by: 'plan' },
      state: { topic: 'tides', planned: true },
    });
    // The values that were sent to it are in no state.
    assert.deepEqual(pastDetails(states, undefined, 'work'), {
      output: { by: 'work' },
      state: { worked: true },
    });
    assert.equal(pastDetails(states, 'c2', 'close'), undefined);
  });

  it('have the next input of a node before which the thread has stopped, apart from its previous one', () => {
    const again = thread(
      { source: 'input', next: ['__start__'] },
      { source: 'loop', next: ['decide'], values: { topic: 'tides' } },
      { source: 'loop', next: [], values: { topic: 'tides', decided: true } },
      { source: 'input', next: ['__start__'], values: { topic: 'tides', decided: true } },
      { source: 'loop', next: ['decide', 'work'], values: { topic: 'moons' } },
    );
    assert.deepEqual(pastDetails(again, undefined, 'decide'), {
      nextInput: { topic: 'moons' },
      input: { topic: 'tides' },
      output: { by: 'decide' },
      state: { topic: 'tides', decided: true },
    });
    // The values that are sent to it are in no state.
    assert.equal(pastDetails(again, undefined, 'work'), undefined);
    assert.deepEqual(pastDetails(again, 'c1', 'decide'), { nextInput: { topic: 'tides' } });
  });
});
