import assert from 'node:assert/strict';
import type { JournalEntry } from '../../../src/extension/panels/run/journal-entry.ts';
import { announcementOf } from '../../../src/webviews/run/announcement.ts';
import { play } from '../../../src/webviews/run/transcript.ts';
import { emptyTranscript } from '../../../src/webviews/run/transcript-model.ts';

const thread_id = '22222222-2222-4222-8222-222222222222';

/** The entries of a run that answers, or ends before that. */
function run(run_id: string, answer?: string): JournalEntry[] {
  const messages = [{ type: 'human', content: `Question ${run_id}` }];
  const events =
    answer === undefined
      ? []
      : [{ event: 'messages', data: [{ type: 'ai', id: answer, content: answer }, {}] }];
  return [
    { type: 'run-started', run_id, thread_id, input: { messages } },
    { type: 'stream', run_id, events },
    { type: 'run-ended', run_id, outcome: answer === undefined ? 'cancelled' : 'success', duration_ms: 12 },
  ];
}

describe('the announcement to screen readers', () => {
  const announced = (...entries: JournalEntry[]) => announcementOf(play(emptyTranscript, entries)).trimEnd();

  it('is empty before the first run, and then says that one is in progress', () => {
    assert.equal(announced(), '');
    assert.equal(announced(...run('1', 'north').slice(0, 2)), 'Running');
  });

  it('has the answer of the run that has ended', () => {
    assert.equal(announced(...run('1', 'north')), 'The run has ended. north');
    assert.equal(announced(...run('1', 'north'), ...run('2', 'south')), 'The run has ended. south');
  });

  it('does not repeat an earlier answer when a run ends without one', () => {
    assert.equal(announced(...run('1', 'north'), ...run('2')), 'The run has ended.');
  });

  it('says that a run has ended that never answers', () => {
    const [, , ended] = run('1');
    assert.ok(ended);
    assert.equal(
      announced({ type: 'run-started', run_id: '1', thread_id, input: { pier: 4 } }, ended),
      'The run has ended.',
    );
  });
});
