import assert from 'node:assert/strict';
import { readRunEvent } from '../../../src/client/run-events.ts';
import { DEFAULT_STREAM_MODES } from '../../../src/extension/panels/run/messages.ts';
import { messagesOf, type WireMessage } from '../../../src/webviews/run/messages.ts';
import { hasSeveralSpeakers, timelineRows } from '../../../src/webviews/run/timeline-rows.ts';
import { play } from '../../../src/webviews/run/transcript.ts';
import { emptyTranscript, type Row, type Transcript } from '../../../src/webviews/run/transcript-model.ts';
import { type RunRecord, readRecording, recordedLines } from '../../support/streams/recordings.ts';

type Answer = Extract<Row, { kind: 'ai' }>;

const answersOf = ({ rows }: Transcript) => rows.filter((row): row is Answer => row.kind === 'ai');
const kindsOf = ({ rows }: Transcript, kind: Row['kind']) => rows.filter((row) => row.kind === kind);

/** How many answers are side by side in each row of the timeline, without steps. */
const beside = (transcript: Transcript) =>
  timelineRows(transcript, false).flatMap((row) => (row.kind === 'answers' ? [row.branches.length] : []));

/** The answers in a state; those of subgraphs get into it when they are done. */
const saidIn = (values: unknown): WireMessage[] => messagesOf(values).filter(({ role }) => role === 'ai');

/** The text of a call's arguments; complete arguments must begin with the part that has come. */
function argsText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** Each event as the panel gets it, and the transcript after each. */
function* moments(before: Transcript, run: RunRecord): Generator<Transcript> {
  const { input, resume } = run;
  const ids = { run_id: `run of ${run.scenario}`, thread_id: 'thread' };
  let transcript = play(before, [{ type: 'run-started', ...ids, input, resume }]);
  yield transcript;
  for (const recorded of run.events) {
    const { kind, event, data } = readRunEvent({ id: undefined, ...recorded });
    if (kind === 'metadata' || kind === 'end' || event.startsWith('tasks')) continue;
    transcript = play(transcript, [{ type: 'stream', run_id: ids.run_id, events: [{ event, data }] }]);
    yield transcript;
  }
  const outcome = run.isCancelled ? 'cancelled' : run.status === 'error' ? 'error' : 'success';
  yield play(transcript, [{ type: 'run-ended', run_id: ids.run_id, outcome, duration_ms: 1 }]);
}

/** The concatenated pieces for each ID, which are all of a message that never reached the state. */
function streamed(run: RunRecord): string[] {
  const texts = new Map<string | undefined, string>();
  for (const { event, data } of run.events) {
    if (!/^messages(\||$)/.test(event) || !Array.isArray(data)) continue;
    const [message] = messagesOf({ messages: data[0] });
    if (message?.role === 'ai') texts.set(message.id, (texts.get(message.id) ?? '') + message.text);
  }
  return [...texts.values()];
}

for (const line of recordedLines) {
  describe(`what ${line.name} streams, in the run panel`, () => {
    let runs: RunRecord[];
    before(async () => {
      runs = await readRecording(line);
    });

    /** Plays the runs of a scenario one after another, and checks the transcript after every event. */
    function watch(scenario: string, look: (now: Transcript, run: RunRecord) => void = () => {}): Transcript {
      let transcript = emptyTranscript;
      const ofScenario = runs.filter((run) => run.scenario === scenario);
      assert.notEqual(ofScenario.length, 0);
      for (const run of ofScenario) {
        for (const now of moments(transcript, run)) {
          look(now, run);
          transcript = now;
        }
      }
      return transcript;
    }

    for (const scenario of [
      'an answer in tokens',
      'a tool call',
      'a tool call in every mode',
      'several messages at once',
      'an agent in a subgraph',
      'a cancelled run',
      'an error',
    ]) {
      it(`only grows, and ends as the final text: ${scenario}`, () => {
        const shown = new Map<string, Answer[]>();
        const last = watch(scenario, (now) => {
          for (const row of answersOf(now)) shown.set(row.id, [...(shown.get(row.id) ?? []), row]);
        });
        const run = runs.find((one) => one.scenario === scenario);
        const rows = answersOf(last);
        assert.deepEqual(
          [...shown.keys()],
          rows.map(({ id }) => id),
          'no answer is shown twice, or goes',
        );
        for (const row of rows) {
          const history = shown.get(row.id) ?? [];
          assert.ok(new Set(history.map(({ text, toolCalls }) => text + JSON.stringify(toolCalls))).size > 2);
          for (const [index, now] of history.entries()) {
            const next = history[index + 1] ?? row;
            assert.ok(next.text.startsWith(now.text), `“${now.text}” became “${next.text}”`);
            assert.ok(next.toolCalls.length >= now.toolCalls.length);
            for (const [place, { name, args }] of now.toolCalls.entries()) {
              const after = next.toolCalls[place];
              assert.ok(after);
              assert.ok(after.name.startsWith(name));
              assert.ok(argsText(after.args).startsWith(argsText(args)));
            }
          }
        }
        assert.deepEqual(rows.map(({ text }) => text).sort(), streamed(run ?? assert.fail()).sort());
        for (const said of saidIn(run?.values)) {
          const row = rows.find(({ messageId }) => messageId === said.id);
          assert.equal(row?.text, said.text);
          assert.deepEqual(row.toolCalls, said.toolCalls);
        }
        assert.ok(rows.every(({ streaming }) => !streaming));
      });
    }

    it('has each result of a tool at its call', () => {
      for (const scenario of ['a tool call', 'a tool call in every mode', 'an agent in a subgraph']) {
        const [call] = answersOf(watch(scenario));
        assert.equal(call?.toolCalls[0]?.name, 'get_weather');
        assert.deepEqual(call.toolCalls[0].args, { city: 'Rome' });
        assert.equal(call.results.call_1?.text, 'It is sunny in Rome.');
      }
    });

    it('has one row each for the question, the answer, the step and the end', () => {
      assert.deepEqual(
        watch('an answer in tokens').rows.map(({ kind }) => kind),
        ['human', 'ai', 'step', 'end'],
      );
    });

    it('keeps the text of a canceled run, from both its state and its events', () => {
      const run = runs.find(({ isCancelled }) => isCancelled) ?? assert.fail();
      const events = run.events.filter(({ event }) => /^messages(\||$)/.test(event));
      const transcript = play(emptyTranscript, [
        { type: 'history', values: run.values, interrupts: [] },
        { type: 'run-started', run_id: 'r', thread_id: 't' },
        { type: 'stream', run_id: 'r', events },
        { type: 'run-ended', run_id: 'r', outcome: 'cancelled', duration_ms: 1 },
      ]);
      const [human, answer] = transcript.rows;
      assert.equal(human?.kind, 'human');
      assert.deepEqual(answer?.kind === 'ai' && [answer.text, answer.streaming], [
        'You said: all is well',
        false,
      ]);
    });

    it('shows the same in other modes, beside the events of these', () => {
      const rowsOf = (scenario: string) =>
        watch(scenario).rows.flatMap((row) =>
          row.kind === 'event' ? [] : [row.kind === 'ai' ? `ai: ${row.text}` : row.kind],
        );
      assert.deepEqual(rowsOf('a tool call in every mode'), rowsOf('a tool call'));
      const modes = kindsOf(watch('a tool call in every mode'), 'event').map((row) =>
        row.kind === 'event' ? row.mode : '',
      );
      const other = ['events', 'messages/complete', 'messages/metadata', 'messages/partial'];
      assert.deepEqual([...new Set(modes)].sort(), other);
      assert.ok(other.every((mode) => !DEFAULT_STREAM_MODES.some((usual) => usual === mode)));
    });

    it('shows an interrupt once, and continues with the answer', () => {
      const asked: number[] = [];
      const last = watch('a question and its answer', (now) => {
        asked.push(kindsOf(now, 'interrupt').length);
      });
      assert.deepEqual([...new Set(asked)], [0, 1]);
      const [question] = kindsOf(last, 'interrupt');
      assert.ok(question?.kind === 'interrupt' && question.answered && !question.isPassed);
      assert.deepEqual(
        question.interrupts.map(({ value }) => value),
        [{ question: 'Publish tides?' }],
      );
      assert.deepEqual(
        kindsOf(last, 'state').map((row) => row.kind === 'state' && row.values),
        runs.filter(({ scenario }) => scenario === 'a question and its answer').map(({ values }) => values),
      );
      assert.deepEqual(
        kindsOf(last, 'end').map((row) => row.kind === 'end' && row.outcome),
        ['interrupted', 'success'],
      );
    });

    it('has every custom event once, in order', () => {
      const seen: number[] = [];
      const last = watch('custom events', (now) => {
        seen.push(kindsOf(now, 'custom').length);
      });
      assert.deepEqual([...new Set(seen)], [0, 1, 2, 3]);
      assert.deepEqual(
        kindsOf(last, 'custom').map((row) => row.kind === 'custom' && row.value),
        [{ index: 0 }, { index: 1 }, { index: 2 }],
      );
    });

    it('shows the path of a subgraph’s steps', () => {
      const last = watch('an agent in a subgraph');
      assert.deepEqual(
        kindsOf(last, 'step').map((row) => row.kind === 'step' && row.node),
        ['announce', 'child › model', 'child › tools', 'child › model', 'child', 'close'],
      );
    });

    it('shows the answers of parallel branches side by side, with the names of their nodes', () => {
      const alone = watch('a tool call');
      assert.equal(hasSeveralSpeakers(alone.rows), false);
      assert.deepEqual(beside(alone), [1, 1]);
      const branches = watch('several messages at once', (now) => {
        const streaming = answersOf(now).filter((row) => row.streaming).length;
        if (streaming > 1) assert.deepEqual([beside(now), hasSeveralSpeakers(now.rows)], [[2], true]);
      });
      assert.deepEqual(beside(branches), [2]);
      assert.deepEqual(
        answersOf(branches)
          .map(({ node }) => node)
          .sort(),
        ['left', 'right'],
      );
    });

    it('names speakers by their path, so that agents in subgraphs differ', () => {
      const last = watch('an agent in a subgraph');
      assert.deepEqual(
        answersOf(last).map(({ node }) => node),
        ['child › model', 'child › model', 'close'],
      );
      assert.deepEqual(beside(last), [1, 1, 1]);
    });

    it('names speakers even in a thread that is opened again', () => {
      const { values } =
        runs.find(({ scenario }) => scenario === 'several messages at once') ?? assert.fail();
      const said = saidIn(values);
      const [left, right] = said.map(({ id = '' }) => id);
      const transcript = play(emptyTranscript, [
        { type: 'history', values, interrupts: [] },
        { type: 'speakers', nodes: { [left ?? '']: 'left', [right ?? '']: 'right' } },
      ]);
      assert.deepEqual(
        answersOf(transcript).map(({ node }) => node),
        ['left', 'right'],
      );
      assert.equal(hasSeveralSpeakers(transcript.rows), true);
    });

    it('ends with the error', () => {
      const last = watch('an error');
      const [error] = kindsOf(last, 'error');
      assert.equal(error?.kind === 'error' && error.message, 'The node failed on purpose.');
      assert.equal(last.status, 'error');
    });
  });
}
