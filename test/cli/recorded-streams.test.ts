import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { RunPrinter } from '../../src/cli/render/run-events.ts';
import { Terminal } from '../../src/cli/terminal/terminal.ts';
import { readRunEvent } from '../../src/client/run-events.ts';
import { RunProgress } from '../../src/client/run-progress.ts';
import type { RunEvent } from '../../src/contract/agent-server/run-events.ts';
import { type RunRecord, readRecording, recordedLines } from '../support/streams/recordings.ts';

/** The output of a run, and the part that each event added. */
function print(run: RunRecord) {
  const stdout = new PassThrough();
  const terminal = new Terminal({ stdout, stderr: new PassThrough(), environment: {} });
  const printer = new RunPrinter(terminal);
  const progress = new RunProgress();
  const added = () => stripVTControlCharacters(String(stdout.read() ?? ''));
  const parts: { readonly event: RunEvent; readonly text: string }[] = [];
  for (const recorded of run.events) {
    const event = readRunEvent({ id: undefined, ...recorded });
    // The command line requests no others.
    if (!['metadata', 'messages', 'updates', 'custom', 'error'].includes(event.kind)) continue;
    progress.observe(event);
    printer.show(event);
    parts.push({ event, text: added() });
  }
  printer.showInterrupts(progress.interrupts.values());
  const questions = added();
  if (progress.error === undefined && progress.interrupts.size === 0) printer.showResult(run.values);
  return { parts, text: parts.map(({ text }) => text).join(''), questions, result: added() };
}

const countOf = (text: string, part: string) => text.split(part).length - 1;

for (const line of recordedLines) {
  describe(`what ${line.name} streams, in the terminal`, () => {
    let runs: RunRecord[];
    before(async () => {
      runs = await readRecording(line);
    });
    const printed = (scenario: string, index = 0) => {
      const run = runs.filter((one) => one.scenario === scenario)[index];
      assert.ok(run);
      return print(run);
    };

    it('is printed piece by piece, each once', () => {
      for (const run of runs) {
        for (const { event, text } of print(run).parts) {
          if (event.kind !== 'messages' || !/^ai/i.test(event.data[0].type)) continue;
          const { content } = event.data[0];
          if (typeof content === 'string' && content !== '') assert.equal(text.trimStart(), content);
        }
      }
    });

    it('shows every answer once and complete, and no result after it', () => {
      const answers: Record<string, string[]> = {
        'an answer in tokens': ['You said: all is well\n'],
        'a tool call': [
          '→ get_weather {"city":"Rome"}\n',
          '← get_weather It is sunny in Rome.\n',
          'You said: It is sunny in Rome.\n',
        ],
        'an agent in a subgraph': ['You said: It is sunny in Rome.\n', 'You said: that was all\n'],
        'an error': ['You said: the end is near\n', 'You said: here it is\n'],
      };
      for (const [scenario, texts] of Object.entries(answers)) {
        const { text, result } = printed(scenario);
        for (const one of texts) assert.equal(countOf(text, one), 1, `${scenario}: ${text}`);
        assert.equal(result, '');
      }
      assert.match(printed('an error').text, /Error: The node failed on purpose\.\n$/);
      assert.match(printed('a cancelled run').text, /You said: all is well$/);
    });

    it('shows one line per step, custom events and interrupts', () => {
      assert.equal(
        printed('custom events').text,
        '• {"index":0}\n• {"index":1}\n• {"index":2}\n✓ emit done\n',
      );
      const asked = printed('a question and its answer');
      assert.equal(asked.text, '✓ draft answers\n');
      assert.match(
        asked.questions,
        /is waiting for an answer:\n\{\n {2}"question": "Publish tides\?"\n\}\n$/,
      );
      const answered = printed('a question and its answer', 1);
      assert.equal(answered.text, '✓ ask answers\n✓ publish answers\n');
      assert.match(answered.result, /"published"/);
    });
  });
}
