import assert from 'node:assert/strict';
import type { JournalEntry, StreamEvent } from '../../../src/extension/panels/run/journal-entry.ts';
import { play } from '../../../src/webviews/run/transcript.ts';
import {
  emptyTranscript,
  nodesPausedBefore,
  type Row,
  type Transcript,
} from '../../../src/webviews/run/transcript-model.ts';

const run_id = '11111111-1111-4111-8111-111111111111';
const thread_id = '22222222-2222-4222-8222-222222222222';

function chunk(id: string, content: string, extra: object = {}): StreamEvent {
  return {
    event: 'messages',
    data: [{ type: 'AIMessageChunk', id, content, ...extra }, { langgraph_node: 'answer' }],
  };
}

/** A message event of a model in JavaScript. */
function piece(id: string, fields: object): StreamEvent {
  return { event: 'messages', data: [{ type: 'ai', id, ...fields }, { langgraph_node: 'answer' }] };
}

function started(input?: unknown): JournalEntry {
  return { type: 'run-started', run_id, thread_id, input };
}

function stream(...events: StreamEvent[]): JournalEntry {
  return { type: 'stream', run_id, events };
}

function ended(outcome: 'success' | 'error' | 'interrupted' | 'cancelled' = 'success'): JournalEntry {
  return { type: 'run-ended', run_id, outcome, duration_ms: 12 };
}

function task(node: string, phase: 'running' | 'done', task_id = node): JournalEntry {
  return { type: 'task', run_id, task_id, node, phase };
}

const question = { messages: [{ type: 'human', content: 'Why?' }] };

/** Rows without their ids. */
function shown(transcript: Transcript): unknown[] {
  return transcript.rows.map(textOf);
}

function textOf(row: Row): unknown {
  switch (row.kind) {
    case 'human':
      return `human: ${row.text}`;
    case 'ai':
      return `ai: ${row.text}${row.streaming ? ' …' : ''}`;
    case 'end':
      return `end: ${row.outcome}`;
    case 'step':
      return `step: ${row.node}`;
    case 'interrupt':
      return `interrupt: ${row.interrupts.length}${row.answered ? ', answered' : ''}`;
    case 'state':
      return { state: row.values };
    case 'error':
      return `error: ${row.name}: ${row.message}`;
    case 'input':
      return { [row.label]: row.value };
    case 'custom':
      return { custom: row.value };
    case 'note':
      return `note: ${row.text}`;
    case 'event':
      return { [row.mode]: row.value };
    case 'stopped':
      return `stopped: ${row.reason}: ${row.next.join()}${row.isOpen ? '' : ', passed'}`;
  }
}

/**
 * LangGraph's own streams are played in recorded-streams.test.ts; these tests cover events that it does not
 * stream.
 */
describe('the transcript of the run panel', () => {
  it('continues the answer that its task began last, when the next piece has another id', () => {
    const of = (task: string, id: string | undefined, content: string): StreamEvent => ({
      event: 'messages',
      data: [
        { type: 'AIMessageChunk', id, content },
        { langgraph_node: 'answer', langgraph_checkpoint_ns: task },
      ],
    });
    const transcript = play(emptyTranscript, [
      started(question),
      stream(of('one', 'a', 'A'), of('one', 'b', ''), of('two', 'c', ''), of('one', 'd', 'B')),
      // The message without events starts now; without an ID, the last message without an ID continues.
      stream(of('one', 'e', 'C'), of('two', 'f', 'D'), of('one', undefined, 'E'), of('one', undefined, 'F')),
      stream(of('two', undefined, 'G'), of('one', 'a', '!')),
    ]);
    assert.deepEqual(shown(transcript), [
      'human: Why?',
      'ai: A! …',
      'ai: B …',
      'ai: D …',
      'ai: C …',
      'ai: EF …',
      'ai: G …',
    ]);
  });

  it('treats a chunk in a state as a complete message', () => {
    const whole = { type: 'ai', id: 'a', content: 'Because', tool_call_chunks: [] };
    const transcript = play(emptyTranscript, [
      started(question),
      stream(piece('a', { content: 'Be', tool_call_chunks: [] })),
      stream({ event: 'updates', data: { answer: { messages: [whole] } } }),
      stream({ event: 'values', data: { messages: [whole] } }),
      stream({ event: 'values', data: { messages: [{ ...whole, type: 'AIMessageChunk' }] } }),
    ]);
    assert.deepEqual(shown(transcript), ['human: Why?', 'ai: Because', 'step: answer']);
  });

  it('concatenates chunks typed as messages until a complete one arrives', () => {
    const transcript = play(emptyTranscript, [
      started(question),
      stream(piece('a', { content: 'Be' }), piece('a', { content: 'cause' })),
    ]);
    assert.deepEqual(shown(transcript), ['human: Why?', 'ai: Because …']);
    const told = play(transcript, [stream(piece('a', { content: 'Because.' }))]);
    assert.deepEqual(shown(told), ['human: Why?', 'ai: Because.']);
  });

  it('continues a message whose ID changes while it streams or in the state', () => {
    const transcript = play(emptyTranscript, [
      started(question),
      stream(chunk('msg_1', ''), chunk('run-1', 'Be'), chunk('run-1', 'cause')),
    ]);
    assert.deepEqual(shown(transcript), ['human: Why?', 'ai: Because …']);
    for (const id of ['msg_1', 'made-by-the-node']) {
      const whole = { type: 'ai', id, content: 'Because' };
      const done = play(transcript, [stream({ event: 'values', data: { messages: [whole] } })]);
      assert.deepEqual(shown(done), ['human: Why?', 'ai: Because']);
    }
  });

  it('keeps messages of two parallel tasks apart', () => {
    const by = (task: string, id: string, content: string): StreamEvent => ({
      event: 'messages',
      data: [
        { type: 'ai', id, content, tool_call_chunks: [] },
        { langgraph_node: 'answer', langgraph_checkpoint_ns: `answer:${task}` },
      ],
    });
    const transcript = play(emptyTranscript, [
      started(question),
      stream(by('1', 'a', ''), by('2', 'b', ''), by('2', 'c', 'Two'), by('1', 'a', 'One')),
    ]);
    assert.deepEqual(shown(transcript), ['human: Why?', 'ai: One …', 'ai: Two …']);
  });

  it('distinguishes calls of one message by their index', () => {
    const call = (index: number, args: string, id?: string): StreamEvent =>
      piece('a', { content: '', tool_call_chunks: [{ index, id, name: id, args, type: 'tool_call_chunk' }] });
    const transcript = play(emptyTranscript, [
      started(question),
      stream(call(1, '{"a"', 'first'), call(2, '{"b"', 'second'), call(1, ':1}'), call(2, ':2}')),
    ]);
    const row = transcript.rows.find(({ kind }) => kind === 'ai');
    assert.ok(row?.kind === 'ai');
    assert.deepEqual(
      row.toolCalls.map(({ name, args }) => ({ name, args })),
      [
        { name: 'first', args: '{"a":1}' },
        { name: 'second', args: '{"b":2}' },
      ],
    );
  });

  it('is the same when the journal is replayed', () => {
    const journal: JournalEntry[] = [
      { type: 'reset', thread_id },
      started(question),
      stream(chunk('a', 'Be'), chunk('a', 'cause')),
      ended(),
    ];
    const once = play(emptyTranscript, journal);
    assert.deepEqual(shown(play(once, journal)), shown(once));
  });

  it('restarts a message when a joined run streams what the history already has', () => {
    const transcript = play(emptyTranscript, [
      {
        type: 'history',
        values: { messages: [{ type: 'ai', id: 'a', content: 'Because' }] },
        interrupts: [],
      },
      started(),
      stream(chunk('a', 'Be'), chunk('a', 'cause')),
    ]);
    assert.deepEqual(shown(transcript), ['ai: Because …']);
  });

  it('shows the state of a graph without messages when its run ends', () => {
    const transcript = play(emptyTranscript, [
      started({ topic: 'tides' }),
      stream(
        { event: 'values', data: { topic: 'tides' } },
        { event: 'values', data: { topic: 'tides', joke: 'wet' } },
      ),
    ]);
    assert.deepEqual(transcript.values, { topic: 'tides', joke: 'wet' });
    assert.deepEqual(shown(play(transcript, [ended()])), [
      { input: { topic: 'tides' } },
      { state: { topic: 'tides', joke: 'wet' } },
      'end: success',
    ]);
  });

  it('keeps the newest state of a graph without messages, though its model has streamed some', () => {
    const transcript = play(emptyTranscript, [
      started({ topic: 'tides' }),
      stream({ event: 'values', data: { topic: 'tides', jokes: [] } }, chunk('a', 'wet'), {
        event: 'values',
        data: { topic: 'tides', jokes: ['wet'] },
      }),
      ended(),
    ]);
    assert.deepEqual(shown(transcript), [
      { input: { topic: 'tides' } },
      'ai: wet',
      { state: { topic: 'tides', jokes: ['wet'] } },
      'end: success',
    ]);
  });

  it('keeps the feedback that a run was given', () => {
    const transcript = play(emptyTranscript, [
      started(question),
      { type: 'feedback-asked', run_id, keys: ['helpful'] },
      ended(),
      { type: 'feedback-given', run_id, feedback: { id: 'a', key: 'helpful', score: 1 } },
      { type: 'feedback-given', run_id, feedback: { id: 'b', key: 'own', comment: 'clear', correction: {} } },
    ]);
    const end = transcript.rows.at(-1);
    assert.ok(end?.kind === 'end');
    assert.deepEqual(end.feedbackKeys, ['helpful']);
    assert.deepEqual(end.feedback, [
      { id: 'a', key: 'helpful', score: 1 },
      { id: 'b', key: 'own', comment: 'clear', correction: {} },
    ]);
    const changed = play(transcript, [
      { type: 'feedback-given', run_id, feedback: { id: 'a', key: 'helpful', score: 0 } },
      { type: 'feedback-deleted', run_id, feedback_id: 'b' },
    ]).rows.at(-1);
    assert.deepEqual(changed?.kind === 'end' && changed.feedback, [{ id: 'a', key: 'helpful', score: 0 }]);
  });

  it('shows where a breakpoint stopped, until the thread continues', () => {
    const stopped = play(emptyTranscript, [
      started({ topic: 'tides' }),
      { type: 'run-ended', run_id, outcome: 'success', duration_ms: 1, next: ['judge'] },
    ]);
    assert.deepEqual(shown(stopped).slice(1), ['end: paused', 'stopped: breakpoint: judge']);
    assert.equal(stopped.status, 'paused');
    assert.deepEqual(nodesPausedBefore(stopped), ['judge']);
    const goesOn = play(stopped, [started()]);
    assert.deepEqual(shown(goesOn).slice(2), ['stopped: breakpoint: judge, passed']);
    assert.deepEqual(nodesPausedBefore(goesOn), []);
  });

  it('waits for input where a node asks, also when a breakpoint is at another one', () => {
    const asking = play(emptyTranscript, [
      started({ topic: 'tides' }),
      stream({ event: 'updates', data: { __interrupt__: [{ id: 'i', value: 'Sure?' }] } }),
      { type: 'run-ended', run_id, outcome: 'success', duration_ms: 1, next: ['ask'] },
    ]);
    assert.deepEqual(shown(asking).slice(1), ['end: interrupted', 'interrupt: 1']);
    assert.equal(asking.status, 'interrupted');
    assert.equal(asking.nodeProgress.ask?.state, 'waiting');
  });

  it('shows the next nodes of an earlier state, not a run', () => {
    const transcript = play(emptyTranscript, [
      { type: 'reset', thread_id },
      { type: 'history', values: { topic: 'tides' }, interrupts: [], next: ['judge'], checkpoint_id: 'c1' },
    ]);
    assert.deepEqual(shown(transcript), [{ state: { topic: 'tides' } }, 'stopped: checkpoint: judge']);
    assert.equal(transcript.checkpointId, 'c1');
    assert.equal(play(transcript, [started()]).checkpointId, undefined);
  });

  it('tells a skipped interrupt from an answered one', () => {
    const asked = [
      started(question),
      stream({ event: 'updates', data: { __interrupt__: [{ id: 'i', value: 'Sure?' }] } }),
      ended('interrupted'),
    ];
    const passed = (entry: JournalEntry) =>
      play(emptyTranscript, [...asked, entry]).rows.find((row) => row.kind === 'interrupt');
    const answer = passed({ type: 'run-started', run_id, thread_id, resume: 'yes' });
    assert.deepEqual(answer?.kind === 'interrupt' && [answer.answered, answer.isPassed], [true, false]);
    const message = passed(started(question));
    assert.deepEqual(message?.kind === 'interrupt' && [message.answered, message.isPassed], [true, true]);
  });

  it('shows in the graph where a breakpoint stopped, and keeps the marks of the turn', () => {
    const states = ({ nodeProgress }: Transcript) =>
      Object.fromEntries(Object.entries(nodeProgress).map(([node, { state }]) => [node, state]));
    const stopped = play(emptyTranscript, [
      started({ topic: 'tides' }),
      task('plan', 'running'),
      task('plan', 'done'),
      { type: 'run-ended', run_id, outcome: 'success', duration_ms: 1, next: ['judge'] },
    ]);
    assert.deepEqual(states(stopped), { plan: 'done', judge: 'paused' });
    const on = play(stopped, [started(undefined), task('judge', 'running'), task('judge', 'done')]);
    assert.deepEqual(states(on), { plan: 'done', judge: 'done' });
    assert.deepEqual(states(play(on, [started({ topic: 'wind' })])), {});
  });

  it('marks running, finished and failed nodes', () => {
    let transcript = play(emptyTranscript, [
      started(),
      task('plan', 'running'),
      task('plan', 'done'),
      task('work', 'running', '1'),
      task('work', 'running', '2'),
      task('work', 'done', '1'),
    ]);
    assert.deepEqual(transcript.nodeProgress, {
      plan: { running: [], done: 1, state: 'done' },
      work: { running: ['2'], done: 1, state: 'running' },
    });
    transcript = play(transcript, [ended('error')]);
    assert.equal(transcript.nodeProgress.work?.state, 'failed');
    assert.deepEqual(play(transcript, [started(question)]).nodeProgress, {});
  });

  it('shows events of additional stream modes', () => {
    const transcript = play(emptyTranscript, [
      started(),
      stream({ event: 'checkpoints', data: { step: 1 } }),
    ]);
    assert.deepEqual(shown(transcript), [{ checkpoints: { step: 1 } }]);
  });

  it('says how many events of a long run are no longer kept, before those that are', () => {
    const { rows } = play(emptyTranscript, [
      started(question),
      { type: 'dropped', run_id, events: 12_000 },
      stream({ event: 'custom', data: 'last' }),
    ]);
    const [, note, custom] = rows;
    assert.ok(note?.kind === 'note');
    assert.equal(note.text, 'The first 12000 events of this run are no longer shown.');
    assert.equal(custom?.kind, 'custom');
  });

  it('says that a cap on the cost of a run cannot be enforced', () => {
    const text = 'The cap cannot be enforced.';
    const { rows } = play(emptyTranscript, [started(question), { type: 'cost-warning', run_id, text }]);
    const note = rows.at(-1);
    assert.ok(note?.kind === 'note');
    assert.deepEqual([note.role, note.text], ['Cost', text]);
  });

  it('replaces rows instead of changing them, so that rendered rows can be cached', () => {
    const before = play(emptyTranscript, [started(question), stream(chunk('a', 'Be'))]);
    const copy = structuredClone(before.rows);
    const after = play(before, [stream(chunk('a', 'cause'))]);
    assert.deepEqual(before.rows, copy);
    assert.equal(after.rows[0], before.rows[0]);
    assert.notEqual(after.rows[1], before.rows[1]);
  });

  it('looks at no more rows for an event after 5,000 messages than after one', () => {
    const answer = (n: number): StreamEvent => ({
      event: 'updates',
      data: { node: { messages: [{ type: 'ai', id: `answer-${n}`, content: 'Yes.' }] } },
    });
    const touched = (messages: number): number => {
      let count = 0;
      const counted = (row: Row): Row =>
        new Proxy(row, {
          get: (target, name) => {
            count++;
            return Reflect.get(target, name);
          },
          has: (target, name) => {
            count++;
            return Reflect.has(target, name);
          },
        });
      const before = play(emptyTranscript, [
        started(question),
        stream(...Array.from({ length: messages }, (_, n) => answer(n))),
      ]);
      const watched = play({ ...before, rows: before.rows.map(counted) }, []);
      count = 0;
      const after = play(watched, [
        stream(answer(messages), chunk('next', 'Be'), chunk('next', 'cause'), {
          event: 'values',
          data: { messages: [{ type: 'human', id: 'asked', content: 'Really?' }] },
        }),
      ]);
      assert.equal(after.rows.length, before.rows.length + 4);
      return count;
    };
    const afterOne = touched(1);
    assert.ok(afterOne > 0);
    assert.equal(touched(5_000), afterOne);
  });

  it('shows the duration and tokens of the trace, not those measured here', () => {
    const trace = { type: 'run-traced', run_id, duration_ms: 2_170, tokens: 198 } as const;
    const { rows } = play(emptyTranscript, [started(question), ended(), trace]);
    const end = rows.find((row) => row.kind === 'end');
    assert.deepEqual([end?.durationMs, end?.tokens], [2_170, 198]);
  });

  describe('the earlier runs of a thread', () => {
    const earlier = (of: string, message_id: string, next: string[] = []): JournalEntry => ({
      type: 'turn-ended',
      run_id: of,
      message_id,
      outcome: 'success',
      duration_ms: 5,
      next,
    });
    const messages = [
      { type: 'human', id: 'h1', content: 'One?' },
      { type: 'ai', id: 'a1', content: 'One.' },
      { type: 'human', id: 'h2', content: 'Two?' },
      { type: 'ai', id: 'a2', content: 'Two.' },
    ];
    const opened: JournalEntry[] = [
      { type: 'history', values: { messages }, interrupts: [], next: [] },
      ended(),
      { type: 'feedback-asked', run_id, keys: ['helpful'] },
    ];

    it('have their ends below their last messages, with their own feedback', () => {
      const given = { id: 'f', key: 'clear', score: 1 };
      const { rows, feedbackKeys } = play(emptyTranscript, [
        ...opened,
        earlier('second', 'a1'),
        earlier('first', 'a1', ['ask']),
        { type: 'feedback-asked', run_id: 'second', keys: ['clear'] },
        { type: 'feedback-given', run_id: 'second', feedback: given },
      ]);
      assert.deepEqual(shown({ ...emptyTranscript, rows }), [
        'human: One?',
        'ai: One.',
        'end: paused',
        'end: success',
        'human: Two?',
        'ai: Two.',
        'end: success',
      ]);
      const ends = rows.flatMap((row) => (row.kind === 'end' ? [row] : []));
      assert.deepEqual(
        ends.map(({ runId, isEarlier, feedbackKeys: keys, feedback, output }) => [
          runId,
          isEarlier,
          keys,
          feedback,
          output,
        ]),
        [
          ['first', true, [], [], { output: 'One.' }],
          ['second', true, ['clear'], [given], { output: 'One.' }],
          [run_id, false, ['helpful'], [], { output: 'Two.' }],
        ],
      );
      assert.deepEqual(feedbackKeys, ['helpful']);
    });

    it('leave the messages below them where they can be found', () => {
      const after = play(emptyTranscript, [...opened, earlier('first', 'a1')]);
      const changed = [...messages.slice(0, 3), { type: 'ai', id: 'a2', content: 'Two, then.' }];
      const values = { event: 'values', data: { messages: changed } };
      assert.deepEqual(shown(play(after, [stream(values)])).slice(2, 5), [
        'end: success',
        'human: Two?',
        'ai: Two, then.',
      ]);
    });

    it('are left out when their messages are no longer in the state', () => {
      assert.deepEqual(shown(play(emptyTranscript, [...opened, earlier('first', 'gone')])).length, 5);
    });
  });
});
