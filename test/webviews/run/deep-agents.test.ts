import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { JournalEntry } from '../../../src/extension/panels/run/journal-entry.ts';
import { play } from '../../../src/webviews/run/transcript.ts';
import {
  type CallRun,
  emptyTranscript,
  type Row,
  type Transcript,
} from '../../../src/webviews/run/transcript-model.ts';
import { launchBrowser } from '../../support/browser.ts';
import { PanelPage } from '../../support/panel-page.ts';
import { runPanelState } from '../../support/run-panel-state.ts';
import { journalOf } from '../../support/streams/journal-of.ts';
import { deepAgents, readRecording } from '../../support/streams/recordings.ts';
import { eventually } from '../../support/wait.ts';

const HARBORS = ['Rotterdam', 'Hamburg', 'Genoa'];

type Answer = Extract<Row, { kind: 'ai' }>;

const answersOf = ({ rows }: Pick<Transcript, 'rows'>) =>
  rows.filter((row): row is Answer => row.kind === 'ai');
const textOf = (said: Pick<Transcript, 'rows'>) =>
  answersOf(said)
    .map(({ text }) => text)
    .join('\n');

/** The subagents in a transcript, by the request to each. */
function subagentsOf(transcript: Transcript): Map<string, CallRun> {
  const found = new Map<string, CallRun>();
  for (const { toolCalls, runs } of answersOf(transcript))
    for (const { id = '', name, args } of toolCalls) {
      const run = runs[id];
      if (name === 'task' && run !== undefined) found.set(JSON.stringify(args), run);
    }
  return found;
}

for (const deepAgent of deepAgents) {
  describe(`a deep agent of ${deepAgent.language}, in the run panel`, () => {
    let journals: Map<string, JournalEntry[]>;
    before(async () => {
      const runs = await readRecording(deepAgent);
      journals = new Map(runs.map((run) => [run.scenario, [...journalOf(run)]]));
    });

    function* moments(scenario: string): Generator<Transcript> {
      let transcript = emptyTranscript;
      for (const entry of journals.get(scenario) ?? assert.fail()) {
        transcript = play(transcript, [entry]);
        yield transcript;
      }
    }

    it('shows what each subagent says in a separate conversation, at the call that starts it', () => {
      let mostAtWork = 0;
      const shown = new Map<string, string[]>();
      let last = emptyTranscript;
      for (const now of moments('three subagents')) {
        last = now;
        const subagents = subagentsOf(now);
        mostAtWork = Math.max(
          mostAtWork,
          [...subagents.values()].filter(({ phase }) => phase === 'running').length,
        );
        for (const [asked, run] of subagents) shown.set(asked, [...(shown.get(asked) ?? []), textOf(run)]);
        assert.doesNotMatch(
          textOf(now),
          /chart|berth/,
          'the graph itself says nothing of what a subagent says',
        );
      }
      assert.equal(mostAtWork, 3);
      const subagents = subagentsOf(last);
      assert.equal(subagents.size, 3);
      for (const harbor of HARBORS) {
        const [asked = '', run] = [...subagents].find(([args]) => args.includes(harbor)) ?? assert.fail();
        assert.equal(run?.phase, 'done');
        assert.ok((run.ms ?? 0) > 0);
        assert.ok(run.tokens > 300, `${run.tokens} tokens of three calls of its model`);
        assert.match(
          textOf(run),
          new RegExp(`^I look at the chart of ${harbor}\\..*berth from Monday on\\.$`, 's'),
        );
        const [look, write] = answersOf(run).flatMap(({ toolCalls, results }) =>
          toolCalls.map(({ id = '', name }) => ({ name, result: results[id]?.text ?? '' })),
        );
        assert.deepEqual(look, { name: 'depth_of', result: `${harbor}: 24 m` });
        assert.equal(write?.name, 'write_file');
        const texts = shown.get(asked) ?? [];
        for (const [at, text] of texts.entries()) assert.ok((texts[at + 1] ?? textOf(run)).startsWith(text));
        assert.ok(new Set(texts).size > 20, 'it is seen while it grows');
      }
      assert.ok(answersOf(last).every(({ streaming }) => !streaming));
    });

    it('shows its to-dos and files as they become known, including those of subagents', () => {
      const todos: string[] = [];
      const files: string[] = [];
      for (const { work } of moments('three subagents')) {
        const marks = work.todos.map(({ status }) => status).join();
        if (todos.at(-1) !== marks) todos.push(marks);
        const paths = Object.keys(work.files).toSorted().join();
        if (files.at(-1) !== paths) files.push(paths);
      }
      assert.deepEqual(todos, ['', 'in_progress,pending', 'completed,in_progress', 'completed,completed']);
      const [none, first = '', second = '', ...later] = files;
      assert.equal(none, '');
      assert.match(first, /^\/notes\/\w+\.md$/, 'the first note is there before the others');
      assert.match(second, /^\/notes\/\w+\.md,\/notes\/\w+\.md$/);
      assert.deepEqual(later, [
        '/notes/Genoa.md,/notes/Hamburg.md,/notes/Rotterdam.md',
        '/notes/Genoa.md,/notes/Hamburg.md,/notes/Rotterdam.md,/report.md',
      ]);
    });

    it('shows what a model called by a tool says at the tool call', () => {
      const [...all] = moments('a tool that asks a model');
      const last = all.at(-1) ?? assert.fail();
      assert.deepEqual(
        answersOf(last).map(({ text }) => text),
        ['', 'We come in on the flood.'],
      );
      const [call] = answersOf(last);
      const [run] = Object.values(call?.runs ?? {});
      assert.equal(run && textOf(run), 'Come in on the flood.');
      assert.equal(Object.values(call?.results ?? {})[0]?.text, 'Come in on the flood.');
    });

    it('says that a subagent has failed', () => {
      const [...all] = moments('a subagent that fails');
      const last = all.at(-1) ?? assert.fail();
      const [run] = subagentsOf(last).values();
      assert.equal(run?.phase, 'failed');
      assert.match(textOf(run), /chart of Atlantis/);
      assert.equal(last.rows.filter(({ kind }) => kind === 'error').length, 1);
    });
  });
}

describe('the subagents of a deep agent, on the page of the run panel', function () {
  // The browser is unpacked on first use.
  this.timeout(120_000);
  let browser: Browser;
  let panel: PanelPage<JournalEntry>;
  let journal: readonly JournalEntry[];
  const answers: Record<string, unknown> = {};
  before(async () => {
    browser = await launchBrowser();
    panel = await PanelPage.open<JournalEntry>(browser, 'run', {
      state: runPanelState('thread'),
      answers,
    });
    const [run] = await readRecording(deepAgents[1]);
    journal = [...journalOf(run ?? assert.fail())];
  });
  after(() => browser?.close());

  it('are shown side by side while they work, and fold to their results', async () => {
    const { page } = panel;
    const middle = journal.findLastIndex(
      (entry) => entry.type === 'stream' && JSON.stringify(entry).includes('"content":"berth "'),
    );
    assert.ok(middle > 0);
    await panel.send(...journal.slice(0, middle));
    const subagents = page.locator('.subagent');
    await page.getByText('Look at Genoa').waitFor();
    assert.deepEqual(await subagents.locator('.who > .name').allInnerTexts(), [
      'researcher',
      'researcher',
      'general-purpose',
    ]);
    assert.deepEqual(
      await subagents.locator('.asked').allInnerTexts(),
      HARBORS.map((harbor) => `Look at ${harbor}`),
    );
    const boxes = await Promise.all(HARBORS.map((_, at) => subagents.nth(at).boundingBox()));
    assert.equal(new Set(boxes.map((box) => box?.y)).size, 1);
    assert.equal(new Set(boxes.map((box) => box?.x)).size, 3);
    const genoa = page.getByRole('region', { name: 'Conversation of general-purpose, Look at Genoa' });
    assert.match(await genoa.innerText(), /I look at the chart of Genoa\./);
    // Nothing moves when a subagent says more.
    const height = boxes[0]?.height;
    await panel.send(...journal.slice(middle, middle + 1));
    assert.equal((await subagents.first().boundingBox())?.height, height);

    await panel.send(...journal.slice(middle + 1));
    await page.locator('.answer', { hasText: 'All three harbors take the ship.' }).waitFor();
    assert.equal(await genoa.count(), 0);
    assert.deepEqual(await subagents.locator('.who .for-screen-readers').allInnerTexts(), [
      'Done',
      'Done',
      'Done',
    ]);
    assert.match(await subagents.first().locator('.preview').innerText(), /Rotterdam.*24 m deep/);
    // Steps of the graph have no rows here, because their messages are already shown.
    assert.equal(await page.locator('.row.step').count(), 0);
    assert.match(await subagents.first().locator('.spent').innerText(), /s · \d+ tokens$/);
    await subagents.nth(2).locator('summary').focus();
    await page.keyboard.press('Enter');
    await genoa.getByText('There is a berth from Monday on.').waitFor();
    assert.equal(
      await genoa.getByText('There is a berth from Monday on.').count(),
      1,
      'its result is its last answer',
    );
  });

  it('are read when they are opened in a thread that is opened again', async () => {
    const { page, requests } = panel;
    const [run] = await readRecording(deepAgents[1]);
    assert.ok(run);
    const inner = run.events.findLast(
      ({ event, data }) => event.startsWith('values|') && JSON.stringify(data).includes('chart of Genoa'),
    );
    answers.subagent = inner?.data;
    await panel.send(
      { type: 'reset', thread_id: 'thread' },
      { type: 'history', values: run.values, interrupts: [] },
    );
    const genoa = page.getByRole('region', { name: 'Conversation of general-purpose, Look at Genoa' });
    // Subagents of the earlier run have their conversations already.
    await page.locator('.subagent .tool').first().waitFor({ state: 'detached' });
    await page.locator('.subagent summary', { hasText: 'Genoa' }).click();
    await genoa.getByText('I look at the chart of Genoa.').waitFor();
    const { params } = requests.findLast(({ method }) => method === 'subagent') ?? assert.fail();
    assert.deepEqual(params, { call_id: 'call_Comparethreeharbors_1_2' });
    assert.equal(await genoa.getByText('There is a berth from Monday on.').count(), 1);
    assert.equal(await genoa.locator('.tool.done').count(), 2);
    assert.equal(await page.locator('.subagent .spent').first().innerText(), '');
  });

  it('leave their to-dos and files in sight, which open in editors', async () => {
    const { page, requests } = panel;
    await panel.send({ type: 'reset', thread_id: 'thread' }, ...journal);
    await page.getByText('2 of 2 done · 4 files').click();
    const todos = page.getByRole('list', { name: 'To-dos' }).getByRole('listitem');
    await todos.first().waitFor();
    assert.deepEqual(await todos.allInnerTexts(), [
      'Done\nLook at the three harbors',
      'Done\nWrite the report',
    ]);
    await page.getByRole('button', { name: '/report.md' }).click();
    const { params } = await eventually('the file', () =>
      requests.findLast(({ method }) => method === 'openFile'),
    );
    const data = Buffer.from('# Report\n\nAll three take the ship.\n').toString('base64');
    assert.deepEqual(params, { name: 'report.md', mime: 'text/plain', data });
  });
});
