import type { Browser, CDPSession } from 'playwright-core';
import { median } from 'simple-statistics';
import type { JournalEntry } from '../../src/extension/panels/run/journal-entry.ts';
import { launchBrowser } from '../../test/support/browser.ts';
import { PanelPage } from '../../test/support/panel-page.ts';
import { runPanelState } from '../../test/support/run-panel-state.ts';
import { type Line, ms } from '../tracing/report.ts';

const thread_id = '22222222-2222-4222-8222-222222222222';
const run_id = '11111111-1111-4111-8111-111111111111';
const TOKENS = 20_000;
/** Tokens per message to the panel. */
const PER_MESSAGE = 40;
/** The number of drawings at the end of each part whose median is printed. */
const DRAWINGS = 9;
/** The number of parts of an answer that are timed separately. */
const PARTS = 4;

/** Answers of different shapes: each function returns the text of the token with a number. */
const answers: Readonly<Record<string, (at: number) => string>> = {
  'Markdown of many blocks': (at) => SAMPLE[at % SAMPLE.length] ?? '',
  'one block of code': (at) => (at === 0 ? '```ts\n' : at % 9 === 8 ? 'end;\n' : `word${at % 7} `),
  'one table': (at) =>
    at === 0 ? '| a | b | c |\n|---|---|---|\n' : (['| one ', '| two ', '| three |\n'][at % 3] ?? ''),
  'one list': (at) => ['- an item ', 'of *some* ', 'words\n'][at % 3] ?? '',
  'one list with lists in its items': (at) =>
    ['- an item ', 'of *some* ', 'words\n', '  - inside ', 'of **it** ', 'too\n'][at % 6] ?? '',
  'one paragraph': (at) => (at % 12 === 7 ? '*some* ' : ['words ', 'that ', 'follow ', 'on, '][at % 4]) ?? '',
  math: (at) => ['$$x_{i} ', '= \\frac{a}{b}$$ ', 'for each of them.\n\n'][at % 3] ?? '',
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

/**
 * Processor time of the page for each drawing of an answer that streams: flat when it does not grow with the answer.
 * The page draws after every message, so that no drawing is skipped on a busy machine.
 */
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
  await panel.page.evaluate(COUNT_SLOW_FRAMES);
  const times: number[] = [];
  for (let at = 0; at < TOKENS; at += PER_MESSAGE) {
    const text = Array.from({ length: PER_MESSAGE }, (_, token) => tokenOf(at + token)).join('');
    const before = await taskMs(devtools);
    await panel.page.evaluate(draw(text));
    times.push((await taskMs(devtools)) - before);
  }
  const slow = await panel.page.evaluate<number>('slowFrames');
  await panel.page.close();
  const ends = Array.from({ length: PARTS }, (_, part) => ((part + 1) * times.length) / PARTS);
  const medians = ends.map((end) => median(times.slice(end - DRAWINGS, end)));
  return {
    question: `run panel, an answer of ${TOKENS.toLocaleString('en')} tokens, ${shape}: a drawing of ${PER_MESSAGE} at the end of each quarter, and the longest; frames over 50 ms by the clock`,
    result: `${medians.map(ms).join(', ')}, ${ms(Math.max(...times))}; ${slow} of ${times.length}`,
    target: 'flat; none',
  };
}

/** Counts frames of more than 50 ms, including time that other programs had the processor. */
const COUNT_SLOW_FRAMES = `
  globalThis.slowFrames = 0;
  new PerformanceObserver((list) => { slowFrames += list.getEntries().length; })
    .observe({ type: 'long-animation-frame' });
`;

/** Sends the page a text. @returns JavaScript that finishes once it has been drawn */
function draw(content: string): string {
  const event = {
    event: 'messages',
    data: [{ type: 'AIMessageChunk', id: 'answer', content }, { langgraph_node: 'model' }],
  };
  const entry = { type: 'stream', run_id, events: [event] };
  return `new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(resolve));
    });
    observer.observe(document.querySelector('main, body'), { subtree: true, childList: true, characterData: true });
    postMessage({ kind: 'events', events: [${JSON.stringify(entry)}] });
  })`;
}

async function taskMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}
