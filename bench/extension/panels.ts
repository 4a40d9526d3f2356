/**
 * Measures the processor time for turning events and spans into panels and for an answer that streams in a browser, and
 * the memory of a run panel that stays open: `npm run bench:panels`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Journal } from '../../src/extension/panels/run/journal.ts';
import type { StreamEvent } from '../../src/extension/panels/run/journal-entry.ts';
import { play } from '../../src/webviews/run/transcript.ts';
import { emptyTranscript, type Transcript } from '../../src/webviews/run/transcript-model.ts';
import { rowsOf } from '../../src/webviews/trace/rows.ts';
import { traceOf } from '../../src/webviews/trace/waterfall.ts';
import { span } from '../../test/webviews/trace/span.ts';
import { type Line, ms, printLines } from '../tracing/report.ts';
import { measureDrawing } from './drawn.ts';

const EVENTS = [5_000, 50_000];
const SPANS = [5_000, 25_000, 100_000];
/** Events of one frame while a run streams. */
const FRAME_EVENTS = 50;
/** Runs in a panel that stays open all day, and events per run. */
const DAY_RUNS = [50, 100, 200];
const DAY_EVENTS = 1_000;

const thread_id = 'thread';
const run_id = 'run';

type EventOf = (at: number) => StreamEvent;

const kinds: Readonly<Record<string, EventOf>> = {
  updates: (at) => ({ event: 'updates', data: { node: { value: at, text: 'a text of a few words' } } }),
  'messages, each of another task': (at) => piece(`message ${at}`, `task ${at}`),
  'messages of one task, of which none is complete': (at) => piece(`message ${at}`, 'task'),
  'pieces of one message': () => piece('message', 'task'),
};

function piece(id: string, task: string): StreamEvent {
  const message = { type: 'AIMessageChunk', id, content: 'token ' };
  return { event: 'messages', data: [message, { langgraph_node: 'node', langgraph_checkpoint_ns: task }] };
}

const lines: Line[] = [];
for (const [kind, eventOf] of Object.entries(kinds)) {
  for (const count of EVENTS) {
    measurePanel(kind, eventOf, count);
    // The second time, with the code as V8 has compiled it by then.
    lines.push(measurePanel(kind, eventOf, count));
  }
}
for (const count of SPANS) {
  measureTrace(count);
  lines.push({ question: `trace of ${thousands(count)} spans: tree and rows`, result: measureTrace(count) });
}
lines.push(await measureDay());
lines.push(...(await measureDrawing()));
printLines(lines);

function measurePanel(kind: string, eventOf: EventOf, count: number): Line {
  const journal = new Journal();
  journal.add({ type: 'run-started', run_id, thread_id });
  for (let at = 0; at < count - FRAME_EVENTS; at++) journal.addEvent(run_id, eventOf(at));
  let transcript = emptyTranscript;
  const parts: number[] = [];
  journal.play((entries) => {
    parts.push(
      processorMs(() => {
        transcript = play(transcript, entries);
      }),
    );
  });
  journal.dispose();
  const events = Array.from({ length: FRAME_EVENTS }, (_, at) => eventOf(count - FRAME_EVENTS + at));
  const last = processorMs(() => play(transcript, [{ type: 'stream', run_id, events }]));
  const all = parts.reduce((sum, part) => sum + part, 0);
  return {
    question: `run panel, ${thousands(count)} ${kind}: the last frame; shown again, the longest of ${parts.length} frames, and all`,
    result: `${ms(last)}; ${ms(Math.max(...parts))}, ${ms(all)}`,
    target: '≤ 50 ms a frame',
  };
}

/** The processor time for rows of a trace, from the fastest shape to the slowest. */
function measureTrace(count: number): string {
  // All spans below the root, a binary tree, and a chain.
  const shapes = [() => 0, (at: number) => Math.floor(at / 2), (at: number) => at - 1].map((parentOf) =>
    Array.from({ length: count }, (_, at) => span(`${at}`, at === 0 ? undefined : `${parentOf(at)}`)),
  );
  const times = shapes.map((spans) =>
    processorMs(() => rowsOf(traceOf(spans), { folded: new Set(), query: '', onlyErrors: false })),
  );
  return `${ms(Math.min(...times))} to ${ms(Math.max(...times))}`;
}

async function measureDay(): Promise<Line> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const journal = new Journal();
  let transcript: Transcript = emptyTranscript;
  journal.play((entries) => {
    transcript = play(transcript, entries);
  });
  const used: string[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let run = 1; run <= Math.max(...DAY_RUNS); run++) {
    const id = `run ${run}`;
    const input = { messages: [{ type: 'human', content: 'Go on' }] };
    journal.add({ type: 'run-started', run_id: id, thread_id, input });
    for (let at = 0; at < DAY_EVENTS; at++) journal.addEvent(id, piece(`message ${run}.${at % 10}`, id));
    journal.add({ type: 'run-ended', run_id: id, outcome: 'success', duration_ms: 1 });
    // The journal sends what has arrived once per frame.
    await sleep(20);
    if (!DAY_RUNS.includes(run)) continue;
    collect();
    used.push(`${((process.memoryUsage().heapUsed - before) / 1_048_576).toFixed(0)} MB`);
  }
  journal.dispose();
  return {
    question: `heap of journal and panel after ${DAY_RUNS.join(', ')} runs of ${thousands(DAY_EVENTS)} events on one thread (${thousands(transcript.rows.length)} rows)`,
    result: used.join(', '),
  };
}

function processorMs(work: () => void): number {
  const { user, system } = process.threadCpuUsage();
  work();
  const after = process.threadCpuUsage();
  return (after.user + after.system - user - system) / 1000;
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}
