import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { readGraphNames } from '../../evaluation/graph-of-dataset.ts';
import { ifPresent } from '../../process/if-present.ts';
import type { Config } from '../deployments/configs.ts';
import type { RunReviews } from '../run-files/run-reviews.ts';
import { type RunToSave, saveRun } from '../run-files/save-run.ts';
import { type Cassette, readExampleLine } from './example-line.ts';
import { writeStarterEvaluator } from './starter-evaluator.ts';

/** A run to make a test from. */
export interface TestSource {
  /** The client of the platform that has its trace. */
  readonly client: Client;
  readonly runId: string;
  /** The run with its thread; undefined if it has none, such as a span. */
  readonly run: RunToSave | undefined;
}

/**
 * Appends runs to a dataset, with a cassette for each recorded one, and an evaluator if the project has
 * none.
 * @returns false if the user declined to save a run, so that nothing was appended
 * @throws see `readExampleLine`, `saveRun` and `writeStarterEvaluator`
 */
export async function writeTests(
  config: Config,
  dataset: vscode.Uri,
  sources: readonly TestSource[],
  reviews: RunReviews,
): Promise<boolean> {
  const lines: string[] = [];
  for (const source of sources) {
    const cassette = await saveCassette(dataset, source, reviews);
    if (cassette === 'canceled') return false;
    lines.push(await readExampleLine(source.client, source.runId, cassette));
  }
  const before = await ifPresent(readFile(dataset.fsPath, 'utf8'));
  const first = before ?? (await headerFor(config, sources));
  const separator = first === '' || first.endsWith('\n') ? '' : '\n';
  await mkdir(path.dirname(dataset.fsPath), { recursive: true });
  await writeFile(dataset.fsPath, `${first}${separator}${lines.join('\n')}\n`);
  await writeStarterEvaluator(config.uri.fsPath);
  return true;
}

/** Saves a recorded run as a file beside the dataset. @returns undefined if it was not recorded */
async function saveCassette(
  dataset: vscode.Uri,
  { run, runId }: TestSource,
  reviews: RunReviews,
): Promise<Cassette | 'canceled' | undefined> {
  if (run === undefined) return undefined;
  const { client } = run.opened;
  const { kwargs } = await client.runs.get({ params: { thread_id: run.threadId, run_id: runId } });
  if (kwargs?.record !== true) return undefined;
  const relative = `cassettes/${runId}.agentrun`;
  const place = vscode.Uri.joinPath(dataset, '..', relative);
  return (await saveRun({ ...run, runId }, reviews, place)) ? { file: place.fsPath, relative } : 'canceled';
}

/** The first line of a new dataset, which names its graph if the project has several; else empty. */
async function headerFor({ uri }: Config, [source]: readonly TestSource[]): Promise<string> {
  const graph = source?.run?.graphId;
  const graphs = readGraphNames(await readFile(uri.fsPath, 'utf8'));
  if (graphs.length < 2 || graph === undefined || !graphs.includes(graph)) return '';
  return `${JSON.stringify({ dataset: { graph } })}\n`;
}
