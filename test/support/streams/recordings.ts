import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { projectRoot } from '../cache.ts';
import { supportedLines } from '../projects.ts';
import { supportedPythonLines } from '../python-projects.ts';

/** Every LangGraph whose streams are recorded. */
export const recordedLines = [
  ...supportedLines.map((line) => ({ language: 'javascript', line }) as const),
  ...supportedPythonLines.map((line) => ({ language: 'python', line }) as const),
].map((one) => ({ ...one, name: `${one.language}-${one.line.replace('langgraph-', '')}` }));
export type RecordedLine = (typeof recordedLines)[number];

/** Deep agents in both languages, with their own packages. */
export const deepAgents = [
  { language: 'javascript', name: 'deep-agents-javascript' },
  { language: 'python', name: 'deep-agents-python' },
] as const;
export type DeepAgent = (typeof deepAgents)[number];

type Recorded = Pick<RecordedLine | DeepAgent, 'name'>;

export const EventRecord = z.object({ event: z.string(), data: z.unknown() });
export type EventRecord = z.output<typeof EventRecord>;

export const RunRecord = z.object({
  scenario: z.string(),
  graph: z.string(),
  input: z.unknown().optional(),
  resume: z.unknown().optional(),
  events: z.array(EventRecord),
  status: z.string(),
  isCancelled: z.boolean(),
  /** The thread's state after the run. */
  values: z.unknown(),
});
/** A run as a client saw it; ids, times and places are the same in every recording. */
export type RunRecord = z.output<typeof RunRecord>;

const fileOf = ({ name }: Recorded) =>
  path.join(projectRoot, 'test', 'fixtures', 'streams', `${name}.jsonl.gz`);

/** A line for each run without its events, and for each of its events. */
export async function writeRecording(line: Recorded, runs: readonly RunRecord[]): Promise<void> {
  const lines = runs.flatMap(({ events, ...run }) => [run, ...events]);
  await writeFile(fileOf(line), gzipSync(lines.map((one) => `${JSON.stringify(one)}\n`).join('')));
}

export async function readRecording(line: Recorded): Promise<RunRecord[]> {
  const runs: RunRecord[] = [];
  const lines = gunzipSync(await readFile(fileOf(line)))
    .toString()
    .trim()
    .split('\n');
  for (const text of lines) {
    const value: unknown = JSON.parse(text);
    const event = EventRecord.safeParse(value);
    if (event.success) runs.at(-1)?.events.push(event.data);
    else runs.push(RunRecord.parse({ ...RunRecord.omit({ events: true }).parse(value), events: [] }));
  }
  return runs;
}
