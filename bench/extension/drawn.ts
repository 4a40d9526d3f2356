import type { Browser, CDPSession } from 'playwright-core';
import type { JournalEntry } from '../../src/extension/panels/run/journal-entry.ts';
import { launchBrowser } from '../../test/support/browser.ts';
import { PanelPage } from '../../test/support/panel-page.ts';
import { runPanelState } from '../../test/support/run-panel-state.ts';
import { type Line, ms } from '../tracing/report.ts';

const thread_id = '22222222-2222-4222-8222-222222222222';
const run_id = '11111111-1111-4111-8111-111111111111';
const TOKENS = 20_000;
/** Tokens of a message to the panel, which gets one a frame. */
const PER_MESSAGE = 20;
/** The parts of an answer whose times are told apart. */
const PARTS = 4;

/** Answers of different shapes, as the text of a token by its number. */
const answers: Readonly<Record<string, (at: number) => string>> = {
  'Markdown of many blocks': (at) => SAMPLE[at % SAMPLE.length] ?? '',
  'one block of code': (at) => (at === 0 ? '```ts\n' : at % 9 === 8 ? 'end;\n' : `word${at % 7} `),
  'one table': (at) =>
    at === 0 ? '| a | b | c |\n|---|---|---|\n' : (['| one ', '| two ', '| three |\n'][at % 3] ?? ''),
  'one list': (at) => ['- an item ', 'of *some* ', 'words\n'][at % 3] ?? '',
};

const SAMPLE = `## A heading

A paragraph with **bold** words, \`code\` and [a link](https://example.com/page), of two
lines.

- one item
- another *item*
  - inside

| name | value |
| --- | ---: |
| first | 1037 |
| second | 2048 |

\`\`\`ts
const answer = compute(42);
return answer + 1;
\`\`\`

`.split(/(?<= )/);

/** Processor time of the page for a token of answers that stream, and its longest frame: flat when it does not grow. */
export async function measureDrawing(): Promise<Line[]> {
  const browser = await launchBrowser();
  try {
    const lines: Line[] = [];
    for (const [shape, tokenOf] of Object.entries(answers))
      lines.push(await measure(browser, shape, tokenOf));
    return lines;
  } finally {
    await browser.close();
  }
}

async function measure(browser: Browser, shape: string, tokenOf: (at: number) => string): Promise<Line> {
  const panel = await PanelPage.open<JournalEntry>(browser, 'run', {
    state: runPanelState(thread_id),
    answers: {},
  });
  const devtools = await panel.page.context().newCDPSession(panel.page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await panel.send({ type: 'reset', thread_id }, { type: 'run-started', run_id, thread_id, input: null });
  const perToken: number[] = [];
  const longest: number[] = [];
  for (let part = 0; part < PARTS; part++) {
    const before = await taskMs(devtools);
    const first = (part * TOKENS) / PARTS;
    const texts = Array.from({ length: TOKENS / PARTS }, (_, at) => tokenOf(first + at));
    longest.push(await panel.page.evaluate<number>(streamIn(texts)));
    perToken.push(((await taskMs(devtools)) - before) / (TOKENS / PARTS));
  }
  await panel.page.close();
  return {
    question: `run panel, an answer of ${TOKENS.toLocaleString('en')} tokens, ${shape}: each quarter's time for a token, and its longest frame`,
    result: `${perToken.map((value) => `${(value * 1000).toFixed(0)} µs`).join(', ')}; ${longest.map(ms).join(', ')}`,
    aim: 'flat; ≤ 50 ms',
  };
}

/** Sends the page a message for each of its frames. @returns JavaScript whose result is the longest frame in ms */
function streamIn(texts: readonly string[]): string {
  return `new Promise((resolve) => {
    const texts = ${JSON.stringify(texts)};
    let longest = 0;
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      const said = texts.splice(0, ${PER_MESSAGE});
      if (said.length === 0) return resolve(longest);
      const events = said.map((content) => ({
        event: 'messages',
        data: [{ type: 'AIMessageChunk', id: 'answer', content }, { langgraph_node: 'model' }],
      }));
      postMessage({ kind: 'events', events: [{ type: 'stream', run_id: '${run_id}', events }] });
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`;
}

async function taskMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}
