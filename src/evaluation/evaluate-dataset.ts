import path from 'node:path';
import type { Client } from '../client/client.ts';
import type { DatasetFile, FileExample } from './dataset-file.ts';
import type { EvaluationSettings } from './evaluation-settings.ts';
import { createExperiment, type Experiment, endExperiment, PASS_KEY, storeScore } from './experiment.ts';
import { readTrace, runExample } from './run-example.ts';
import { type EvaluatorReference, scoreRun } from './score-run.ts';
import { type UploadedDataset, uploadDataset } from './upload-dataset.ts';
import { failuresOf, type ScoredRun, type Verdict, verdictOf } from './verdict.ts';

export interface EvaluationRequest {
  /** Of the deployment that serves the graph. */
  readonly client: Client;
  readonly deploymentId: string;
  readonly file: DatasetFile;
  /** The settings of the file, with what a caller overrides. */
  readonly settings: EvaluationSettings;
  readonly graph: string;
  readonly evaluators: readonly EvaluatorReference[];
  /** The examples to run; all of the file when absent. */
  readonly examples?: readonly FileExample[];
  /** What the experiment's name starts with. */
  readonly prefix: string;
  /** Metadata of the experiment, such as the git commit. */
  readonly metadata: Record<string, unknown>;
  readonly signal: AbortSignal;
  onStart?(example: FileExample, repetition: number): void;
  onRun?(example: FileExample, run: ScoredRun): void;
  /** Called when all repetitions of an example have ended. */
  onExample?(result: ExampleResult): void;
}

/** An example with its runs. */
export interface ExampleResult {
  readonly example: FileExample;
  readonly exampleId: string;
  readonly runs: readonly ScoredRun[];
  readonly verdict: Verdict;
}

/** A dataset, evaluated. */
export interface DatasetResult {
  readonly file: DatasetFile;
  readonly settings: EvaluationSettings;
  readonly graph: string;
  readonly datasetId: string;
  readonly experiment: Experiment;
  readonly results: readonly ExampleResult[];
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Why examples were skipped, in one sentence. */
  readonly stopped: string | undefined;
}

/**
 * Evaluates a graph over a dataset: uploads the dataset, runs the graph on every example, calls the evaluators, and
 * stores an experiment with its traces and scores.
 * @throws RequestError when the platform cannot be used; the signal's reason when aborted, the experiment ended before.
 */
export async function evaluateDataset(request: EvaluationRequest): Promise<DatasetResult> {
  const { client, file, settings, graph, signal } = request;
  const startedAt = new Date();
  const began = performance.now();
  const dataset = await uploadDataset(client, file, { signal });
  const examples = request.examples ?? file.examples;
  const experiment = await createExperiment(
    client,
    {
      prefix: request.prefix,
      dataset,
      metadata: { ...request.metadata, num_repetitions: settings.repetitions, graph_id: graph },
    },
    { signal },
  );
  const work = new Evaluation(request, dataset, experiment);
  try {
    await work.run(examples);
  } finally {
    // It has ended, also when this was aborted.
    await endExperiment(client, experiment).catch(() => {});
  }
  return {
    file,
    settings,
    graph,
    datasetId: dataset.id,
    experiment,
    results: examples.map((example) => work.resultOf(example)),
    startedAt,
    durationMs: performance.now() - began,
    stopped: work.stopped,
  };
}

class Evaluation {
  stopped: string | undefined;
  readonly #request: EvaluationRequest;
  readonly #dataset: UploadedDataset;
  readonly #experiment: Experiment;
  readonly #runs = new Map<FileExample, ScoredRun[]>();
  #tokens = 0;
  #cost = 0;

  constructor(request: EvaluationRequest, dataset: UploadedDataset, experiment: Experiment) {
    this.#request = request;
    this.#dataset = dataset;
    this.#experiment = experiment;
  }

  async run(examples: readonly FileExample[]): Promise<void> {
    const { settings, signal } = this.#request;
    const jobs = examples.flatMap((example) =>
      Array.from({ length: settings.repetitions }, (_, index) => ({ example, repetition: index + 1 })),
    );
    const queue = jobs.values();
    const failed = new AbortController();
    const together = AbortSignal.any([signal, failed.signal]);
    const worker = async () => {
      for (const { example, repetition } of queue) {
        together.throwIfAborted();
        if (this.stopped !== undefined) return;
        await this.#runOnce(example, repetition, together).catch((error: unknown) => {
          failed.abort(error);
          throw error;
        });
      }
    };
    await Promise.all(Array.from({ length: Math.min(settings.concurrency, jobs.length) }, worker));
  }

  resultOf(example: FileExample): ExampleResult {
    const runs = (this.#runs.get(example) ?? []).toSorted((a, b) => a.repetition - b.repetition);
    return { example, exampleId: this.#exampleId(example), runs, verdict: verdictOf(runs) };
  }

  async #runOnce(example: FileExample, repetition: number, signal: AbortSignal): Promise<void> {
    const { client, file, settings, graph, deploymentId, evaluators, onStart, onRun, onExample } =
      this.#request;
    onStart?.(example, repetition);
    const exampleId = this.#exampleId(example);
    const timeoutMs = settings.timeout_seconds * 1000;
    const { configurable, context } = settings;
    const cassette =
      settings.cassettes && example.cassette !== undefined
        ? path.join(path.dirname(file.file), example.cassette)
        : undefined;
    const run = await runExample(
      client,
      {
        ...{ graph, exampleId, timeoutMs, configurable, context, cassette },
        inputs: example.inputs,
        experiment: this.#experiment.name,
      },
      signal,
    );
    const trace = run.runId === '' ? undefined : await readTrace(client, run.runId, signal);
    const scores =
      run.error === undefined
        ? await scoreRun(
            client,
            {
              ...{ deploymentId, evaluators, example, exampleId, run, trace, timeoutMs },
              datasetId: this.#dataset.id,
            },
            signal,
          )
        : [];
    const failures = failuresOf({ error: run.error, scores }, settings);
    const scored: ScoredRun = {
      ...run,
      ...{ repetition, scores, failures },
      tokens: trace?.total_tokens ?? undefined,
      cost: costOf(trace?.total_cost),
    };
    await this.#store(scored, signal);
    this.#count(scored);
    const all = [...(this.#runs.get(example) ?? []), scored];
    this.#runs.set(example, all);
    onRun?.(example, scored);
    if (all.length === settings.repetitions) onExample?.(this.resultOf(example));
  }

  async #store({ runId, scores, failures }: ScoredRun, signal: AbortSignal): Promise<void> {
    if (runId === '') return;
    const { client } = this.#request;
    const run = { runId, experiment: this.#experiment };
    const said = scores.some(({ key }) => key === PASS_KEY);
    const verdict = {
      key: PASS_KEY,
      score: failures.length === 0 ? 1 : 0,
      comment: failures.join('\n') || null,
    };
    for (const { evaluator: _, error, ...score } of said
      ? scores
      : [...scores, { ...verdict, evaluator: '' }]) {
      await storeScore(
        client,
        run,
        { ...score, ...(error === undefined ? {} : { error: true }) },
        { signal },
      );
    }
  }

  #count({ tokens = 0, cost = 0 }: ScoredRun): void {
    const { budget } = this.#request.settings;
    this.#tokens += tokens;
    this.#cost += cost;
    if (budget.tokens !== undefined && this.#tokens >= budget.tokens) {
      this.stopped ??= `The budget of ${budget.tokens} tokens is used up. Raise budget.tokens to run the rest.`;
    }
    if (budget.cost !== undefined && this.#cost >= budget.cost) {
      this.stopped ??= `The budget of $${budget.cost} is used up. Raise budget.cost to run the rest.`;
    }
  }

  #exampleId(example: FileExample): string {
    return this.#dataset.exampleIds[this.#request.file.examples.indexOf(example)] ?? '';
  }
}

function costOf(cost: unknown): number | undefined {
  const number = typeof cost === 'string' ? Number(cost) : cost;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
}
