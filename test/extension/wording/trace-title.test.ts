import assert from 'node:assert/strict';
import { traceTitle } from '../../../src/extension/wording/trace-title.ts';

describe('the title of a trace', () => {
  const of = (inputs: unknown, name = 'hitl') => {
    const { label, graph } = traceTitle({ name, inputs_preview: inputs });
    return [label, graph];
  };

  it('is the words of the input, or the name if there are none', () => {
    assert.deepEqual(of('{"messages": [{"role": "user", "content": "Is pier 3 free?"}]}'), [
      'Is pier 3 free?',
      'hitl',
    ]);
    assert.deepEqual(of('{}'), ['hitl', undefined]);
    assert.deepEqual(of(undefined), ['hitl', undefined]);
  });

  it('leaves IDs out of names, unless they are all there is', () => {
    const id = '6244e7b5-56b2-41f1-a5a9-6b09989e3a9c';
    assert.deepEqual(of('{}', `Crew_${id}.kickoff`), ['Crew.kickoff', undefined]);
    assert.deepEqual(of('{"topic": "tides"}', `Crew_${id}.kickoff`), ['tides', 'Crew.kickoff']);
    assert.deepEqual(of('{}', id), [id, undefined]);
  });

  it('is the answer where it answers an interrupt, of either language', () => {
    assert.deepEqual(of({ lg_name: 'Command', resume: [{ type: 'accept' }] }), ['↳ accept', 'hitl']);
    assert.deepEqual(of('{"lg_name": "Command", "resume": true}'), ['↳ true', 'hitl']);
    const answered = { graph: null, update: null, resume: { decision: 'approve' }, goto: [] };
    assert.deepEqual(of({ input: answered }), ['↳ approve', 'hitl']);
    assert.deepEqual(of({ input: { ...answered, resume: 42 } }), ['↳ 42', 'hitl']);
    // A state may have such a name too.
    assert.deepEqual(of({ input: { resume: 'Ten years at sea' } }), ['Ten years at sea', 'hitl']);
    assert.deepEqual(of({ input: { ...answered, resume: null } }), ['hitl', undefined]);
  });

  it('says that a run continued where its thread had stopped, such as after a logpoint', () => {
    assert.deepEqual(of('{"input":null}'), ['↳ continued', 'hitl']);
    assert.deepEqual(of('{"input":null,"count":1}').at(-1), 'hitl');
    assert.notEqual(of('{"input":null,"count":1}')[0], '↳ continued');
  });

  it('says that a state was edited, not what LangGraph calls that', () => {
    assert.deepEqual(of({ count: 77 }, 'debugUpdateState'), ['State edited', 'debug']);
    assert.deepEqual(of({ count: 77 }, 'UpdateState'), ['State edited', undefined]);
  });
});
