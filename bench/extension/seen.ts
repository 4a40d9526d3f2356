/**
 * Measures when content becomes visible, in a real VS Code in a real browser: `npm run bench:seen [--
 * ROUNDS]`.
 *
 * - the first view: from a click on the icon in the activity bar to the first row that is drawn, in a fresh window,
 *   compared with an extension that has one row and makes no requests
 * - a token on its way: from the model's `yield` to the frame in which the run panel draws it, compared with a text
 *   that an extension posts to a panel that only shows it; and when it arrives at the public JavaScript client that
 *   follows the same run
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, type Run } from '@langchain/langgraph-sdk';
import { quantile } from 'simple-statistics';
import { z } from 'zod';
import { HarborWindow } from '../../test/e2e/pages/harbor-window.ts';
import { projectRoot } from '../../test/support/cache.ts';
import { graphProject } from '../../test/support/projects.ts';
import { eventually } from '../../test/support/wait.ts';
import type { DomElement } from '../../test/support/workbench/dom.ts';

const GRAPH = path.join(import.meta.dirname, 'tokens', 'tokens.mjs');
const containers = { ours: 'Agent Harbor', floor: 'Floor' } as const;
const views = { ours: 'Deployments', floor: 'Rows' } as const;
const subjects = ['ours', 'floor'] as const;
type Subject = (typeof subjects)[number];
/** A token is the time at which the model produced it, in milliseconds since 1970. */
const TOKEN = /\b\d{13}\b/g;

/** The parts of a page that functions evaluated in it use. */
interface Page {
  readonly document: DomElement & {
    addEventListener(type: 'pointerdown', listener: () => void, options: { capture: true; once: true }): void;
  };
  requestAnimationFrame(call: () => void): number;
  __seen?: Promise<number>;
  __drawn?: Record<string, number>;
}

const rounds = Number(process.argv[2] ?? 7);
await using project = await graphProject({
  line: 'langgraph-1.7',
  empty: true,
  files: {
    'langgraph.json': JSON.stringify({ graphs: { tokens: './tokens.mjs:graph' } }),
    'tokens.mjs': await readFile(GRAPH, 'utf8'),
  },
});
const window = await HarborWindow.open({
  folder: project.folder,
  extensions: [projectRoot, path.join(import.meta.dirname, 'floor')],
  settings: { 'workbench.editor.useModal': 'off' },
});
try {
  await window.openViews('tokens');
  const seen: Record<Subject, number[]> = { ours: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) seen[subject].push(await firstViewMs(subject));
  }
  tell('the first view, from the click to its first row', seen.ours, seen.floor);
  const posted = await postedTimes();
  const { painted, arrived } = await tokens();
  tell('a token, from the model to its frame', painted, posted);
  tell('the same, to the public client', arrived, posted);
} finally {
  await window.close();
}

/** Prints two samples beside each other, in milliseconds. */
function tell(what: string, ours: readonly number[], floor: readonly number[]): void {
  const text = (values: readonly number[]) => {
    const [p50, p90] = [quantile([...values], 0.5), quantile([...values], 0.9)];
    return `p50 ${p50.toFixed(0)} ms, p90 ${p90.toFixed(0)} ms of ${values.length}`;
  };
  const ratio = quantile([...ours], 0.5) / quantile([...floor], 0.5);
  console.log(`${what}: ${text(ours)}; the floor ${text(floor)}; ${ratio.toFixed(2)} ×`);
}

/** Opens a view in a fresh window in which the extension has started and the view was not open. */
async function firstViewMs(subject: Subject): Promise<number> {
  const { workbench } = window;
  await workbench.openViewContainer('Explorer');
  await window.reload();
  await workbench.runCommand('Developer: Show Running Extensions');
  const { page } = workbench;
  await page.locator('.runtime-extensions-editor .activation-time').first().waitFor({ timeout: 60_000 });
  const row = `.pane:has(.pane-header[aria-label^="${views[subject]} "]) .monaco-list-row`;
  await page.evaluate(watchRow, row);
  await workbench.openViewContainer(containers[subject]);
  return page.evaluate(rowSeenAfter);
}

/** Waits, inside the page, for a press of the mouse, and after it for a row to be drawn. */
function watchRow(selector: string): void {
  const page = globalThis as unknown as Page;
  page.__seen = new Promise((resolve, reject) => {
    const pressed = () => {
      const started = performance.now();
      const look = () => {
        const takenMs = performance.now() - started;
        if (page.document.querySelector(selector) !== null) resolve(takenMs);
        else if (takenMs > 60_000) reject(new Error(`There is no ${selector}.`));
        else page.requestAnimationFrame(look);
      };
      look();
    };
    page.document.addEventListener('pointerdown', pressed, { capture: true, once: true });
  });
}

function rowSeenAfter(): Promise<number> {
  return (globalThis as unknown as Page).__seen ?? Promise.reject(new Error('Nothing is watched.'));
}

/** The time that VS Code itself takes from an extension to a panel. @returns milliseconds */
async function postedTimes(): Promise<number[]> {
  const { workbench } = window;
  await workbench.runCommand('Floor: Tell the Time');
  const body = (await workbench.webview('The Time')).locator('body');
  await body.evaluate(watchTokens, TOKEN.source);
  await setTimeout(rounds * 2_000);
  const drawn = await body.evaluate(tokensDrawn);
  await workbench.editors.closeAll();
  // Earlier ones were drawn before anything looked for them.
  return Object.entries(drawn)
    .map(([token, at]) => at - Number(token))
    .slice(-rounds * 30);
}

/** Runs the model in a panel, and follows the same run with a client of our own, several times. @returns milliseconds */
async function tokens(): Promise<{ readonly painted: number[]; readonly arrived: number[] }> {
  await window.openViews('tokens');
  const { resources } = await (await window.client()).deployments.list();
  const apiUrl = z.url().parse(resources[0]?.source_config.custom_url);
  const { api_key: apiKey } = await window.server();
  const client = new Client({ apiUrl, apiKey });
  const panel = await window.newRunPanel('Deployments', [path.basename(project.folder), 'tokens']);
  const body = panel.frame.locator('body');
  await body.evaluate(watchTokens, TOKEN.source);
  const arrived: Record<string, number> = {};
  for (let round = 1; round <= rounds; round++) {
    await panel.send('What time is it?');
    const run = await newestRun(client, round);
    await follow(client, run, arrived);
    await panel.outcome(round);
  }
  const drawn = await body.evaluate(tokensDrawn);
  // Tokens from before the client began to follow reached it late.
  const both = Object.keys(drawn).filter((token) => token in arrived);
  const after = (times: Readonly<Record<string, number>>) =>
    both.map((token) => (times[token] ?? Number.NaN) - Number(token));
  return { painted: after(drawn), arrived: after(arrived) };
}

function newestRun(client: Client, runs: number): Promise<Run> {
  return eventually('the run to begin', async () => {
    const [thread] = await client.threads.search({ limit: 1 });
    const all = thread === undefined ? [] : await client.runs.list(thread.thread_id);
    return all.length === runs ? all[0] : undefined;
  });
}

/** Notes when tokens that are produced from now on arrive. */
async function follow(
  client: Client,
  { thread_id, run_id }: Run,
  arrived: Record<string, number>,
): Promise<void> {
  const since = Date.now();
  for await (const { data } of client.runs.joinStream(thread_id, run_id)) {
    const now = Date.now();
    for (const [token] of JSON.stringify(data).matchAll(TOKEN))
      if (Number(token) > since) arrived[token] ??= now;
  }
}

/**
 * Notes, inside the panel, when the page has drawn each token for the first time: at the end of the frame that
 * draws it, whether the token came into the document before the frame or in it.
 */
function watchTokens(_body: DomElement, pattern: string): void {
  const page = globalThis as unknown as Page;
  const drawn: Record<string, number> = {};
  page.__drawn = drawn;
  const note = () => {
    const now = Date.now();
    for (const answer of page.document.querySelectorAll('.answer'))
      for (const [token] of (answer.textContent ?? '').matchAll(new RegExp(pattern, 'g')))
        drawn[token] ??= now;
  };
  const look = () => {
    // Timers run after the frame.
    globalThis.setTimeout(note);
    page.requestAnimationFrame(look);
  };
  page.requestAnimationFrame(look);
}

function tokensDrawn(): Record<string, number> {
  return (globalThis as unknown as Page).__drawn ?? {};
}
