import assert from 'node:assert/strict';
import {
  type GivenFeedback,
  panelMetadata,
  toGivenFeedback,
} from '../../../src/extension/panels/feedback.ts';
import {
  feedbackDraft,
  ownFeedback,
  readFeedback,
  thumbPressed,
  withKey,
} from '../../../src/webviews/shared/feedback/feedback-input.ts';

const id = '11111111-1111-4111-8111-111111111111';
const own = (part: Partial<GivenFeedback> = {}): GivenFeedback => ({
  id,
  key: 'helpful',
  isOwn: true,
  ...part,
});

describe('feedback in the panels', () => {
  it('takes a thumb back with a second press, and changes it with the other thumb', () => {
    assert.deepEqual(thumbPressed('helpful', 1, undefined), { give: { key: 'helpful', score: 1 } });
    assert.deepEqual(thumbPressed('helpful', 1, own({ score: 1 })), { takeBack: id });
    assert.deepEqual(thumbPressed('helpful', 1, own({ score: 0 })), {
      give: { key: 'helpful', replaces: id, score: 1 },
    });
  });

  it('keeps a comment and a correction when only the thumb changes', () => {
    const given = own({ score: true, comment: 'Clear.', correction: { answer: 'Tides' } });
    const kept = { key: 'helpful', replaces: id, comment: 'Clear.', correction: { answer: 'Tides' } };
    assert.deepEqual(thumbPressed('helpful', 0, given), { give: { ...kept, score: 0 } });
    assert.deepEqual(thumbPressed('helpful', 1, given), { give: kept });
  });

  it('distinguishes feedback from a person in a panel and feedback from a program', () => {
    const given = (feedback_source: unknown) =>
      toGivenFeedback({ id, key: 'helpful', score: 1, feedback_source });
    assert.equal(given({ type: 'app', metadata: {} }).isOwn, true);
    assert.equal(given({ type: 'api', metadata: panelMetadata }).isOwn, true);
    const others = [given({ type: 'api', metadata: {} }), given({ type: 'model' }), given(null)];
    assert.equal(ownFeedback(others, 'helpful'), undefined);
  });

  it('fills the form with the user’s earlier feedback for the selected key until the user types', () => {
    const feedback = [own({ score: 1, comment: 'Clear.' }), own({ key: 'tone', score: 0.5 })];
    const draft = feedbackDraft('helpful', ownFeedback(feedback, 'helpful'));
    assert.deepEqual(draft, { key: 'helpful', score: '1', comment: 'Clear.', correction: undefined });
    assert.deepEqual(withKey(draft, 'tone', feedback), {
      key: 'tone',
      score: '0.5',
      comment: '',
      correction: undefined,
    });
    const typed = { ...draft, comment: 'Too dry.' };
    assert.equal(withKey(typed, 'tone', feedback).comment, 'Too dry.');
  });

  it('sends no correction that equals the output', () => {
    const draft = { key: 'helpful', score: '1', comment: '', correction: '{"answer": "Tides"}' };
    assert.deepEqual(readFeedback(draft, { answer: 'Tides' }), { feedback: { key: 'helpful', score: 1 } });
    assert.deepEqual(readFeedback({ ...draft, correction: '{"output": "Tides"}' }, 'Tides'), {
      feedback: { key: 'helpful', score: 1 },
    });
    assert.deepEqual(readFeedback(draft, { answer: 'Moon' }), {
      feedback: { key: 'helpful', score: 1, correction: { answer: 'Tides' } },
    });
    const nothing = readFeedback({ ...draft, score: '' }, { answer: 'Tides' });
    assert.equal('field' in nothing && nothing.field, 'form');
  });
});
