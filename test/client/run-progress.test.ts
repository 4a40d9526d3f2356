import assert from 'node:assert/strict';
import { readRunEvent } from '../../src/client/run-events.ts';
import { RunProgress } from '../../src/client/run-progress.ts';

const event = (name: string, data: unknown) => readRunEvent({ id: undefined, event: name, data });

describe('the progress of a run', () => {
  it('has the ID, each interrupt once, feedback links and the error', () => {
    const progress = new RunProgress();
    const question = { __interrupt__: [{ id: 'i', value: 'Go on?' }] };
    progress.observe(event('metadata', { run_id: 'r' }));
    progress.observe(event('updates|child:1', question));
    progress.observe(event('updates', question));
    progress.observe(event('feedback', { helpful: 'http://link' }));
    assert.equal(progress.runId, 'r');
    assert.deepEqual([...progress.interrupts], [['i', 'Go on?']]);
    assert.deepEqual(progress.feedback, { helpful: 'http://link' });
    assert.equal(progress.error, undefined);
    progress.observe(event('error', { error: 'RangeError', message: 'sunk' }));
    assert.deepEqual(progress.error, { error: 'RangeError', message: 'sunk' });
  });

  it('has neither values nor errors of subgraphs, which the graph around them may catch', () => {
    const progress = new RunProgress();
    progress.observe(event('values', { port: 'Kiel' }));
    progress.observe(event('values|child:1', { port: 'Oslo' }));
    progress.observe(event('error|child:1', { error: 'Caught', message: 'by the graph' }));
    assert.deepEqual([progress.values, progress.error], [{ port: 'Kiel' }, undefined]);
  });

  it('has nothing of an earlier run', () => {
    const progress = new RunProgress();
    progress.observe(event('metadata', { run_id: 'asks' }));
    progress.observe(event('feedback', { helpful: 'http://link' }));
    progress.observe(event('values', { port: 'Kiel', __interrupt__: [{ id: 'i', value: 'Go on?' }] }));
    progress.observe(event('error', { error: 'RangeError', message: 'sunk' }));
    progress.observe(event('metadata', { run_id: 'answers' }));
    const { runId, interrupts, feedback, values, error } = progress;
    assert.deepEqual([runId, interrupts.size, feedback], ['answers', 0, {}]);
    assert.deepEqual([values, error], [undefined, undefined]);
  });

  it('keeps its state when the stream of the same run begins again', () => {
    const progress = new RunProgress();
    progress.observe(event('metadata', { run_id: 'r' }));
    progress.observe(event('values', { port: 'Kiel' }));
    progress.observe(event('metadata', { run_id: 'r' }));
    assert.deepEqual(progress.values, { port: 'Kiel' });
  });
});
