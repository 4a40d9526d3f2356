import type { Client } from '../client/client.ts';
import type { ExampleLine } from './dataset-file.ts';
import type { EvaluationSettings } from './evaluation-settings.ts';
import { createExperiment, type Experiment, endExperiment, PASS_KEY, storeScore } from './experiment.ts';
import { PROJECT_KEY } from './project-identity.ts';
import { type RunWithChildren, readTrace } from './read-trace.ts';
import { runExample } from './run-example.ts';
import { type EvaluatorReference, scoreRun } from './score-run.ts';
import { failuresOf, type ScoredRun, type Verdict, verdictOf } from './verdict.ts';

/** A version of a dataset on the platform. */
export interface StoredDataset {
  readonly id: string;
  /** The time of the version, if the platform has versions. */
  readonly version: string | undefined;
}

/** An example on the platform. */
export interface StoredExample<Example extends ExampleLine> {
  readonly id: string;
  readonly example: Example;
  /** The path of a run file with recorded answers of models and tools, which the run gets instead of new ones. */
  readonly cassette?: string | undefined;
}

export interface ExamplesRequest<Example extends ExampleLine> {
  /** The client of the deployment that serves the graph. */
  readonly client: Client;
  readonly deploymentId: string;
  readonly dataset: StoredDataset;
  readonly examples: readonly StoredExample<Example>[];
  readonly settings: EvaluationSettings;
  readonly graph: string;
  readonly evaluators: readonly EvaluatorReference[];
  /** The beginning of the experiment's name. */
  readonly prefix: string;
  /** The project that the experiment belongs to; see `identifyProject`. */
  readonly project: string;
  /** Metadata of the experiment, such as the git commit. */
  readonly metadata: Record<string, unknown>;
  readonly signal: AbortSignal;
  onStart?(example: Example, repetition: number): void;
  onRun?(example: Example, run: ScoredRun): void;
  /** Called when all repetitions of an example have ended. */
  onExample?(result: ExampleResult<Example>): void;
}

/** An example with its runs. */
export interface ExampleResult<Example extends ExampleLine> {
  readonly example: Example;
  readonly exampleId: string;
  readonly runs: readonly ScoredRun[];
  readonly verdict: Verdict;
}

/** The result of evaluating examples. */
export interface ExamplesResult<Example extends ExampleLine> {
  readonly settings: EvaluationSettings;
  readonly graph: string;
  readonly datasetId: string;
  readonly experiment: Experiment;
  readonly results: readonly ExampleResult<Example>[];
  readonly startedAt: Date;
  readonly durationMs: number;
  /** A sentence that says why examples were skipped; undefined if none were. */
  readonly stopped: string | undefined;
}

/**
 * Evaluates a graph over examples on the platform: runs the graph on every example, calls the evaluators, and stores an
 * experiment with its traces and scores.
 * @throws RequestError when the platform cannot be used; the signal's reason when aborted, after the experiment was
 * ended.
 */
export async function evaluateExamples<Example extends ExampleLine>(
  request: ExamplesRequest<Example>,
): Promise<ExamplesResult<Example>> {
  const { client, dataset, examples, settings, graph, signal } = request;
  const startedAt = new Date();
  const began = performance.now();
  const experiment = await createExperiment(
    client,
    {
      prefix: request.prefix,
      dataset,
      metadata: {
        ...request.metadata,
        [PROJECT_KEY]: request.project,
        num_repetitions: settings.repetitions,
        graph_id: graph,
      },
    },
    { signal },
  );
  const evaluation = new Evaluation(request, experiment);
  try {
    await evaluation.run();
  } finally {
    // The experiment has to be ended even if the evaluation was aborted. If that fails, the results remain; an
    // experiment only has to have ended to be a baseline.
    await endExperiment(client, experiment).catch(() => {});
  }
  return {
    settings,
    graph,
    datasetId: dataset.id,
    experiment,
    results: examples.map((example) => evaluation.resultOf(example)),
    startedAt,
    durationMs: performance.now() - began,
    stopped: evaluation.stopped,
  };
}

/** Runs and scores examples concurrently, and counts their cost. */
class Evaluation<Example extends ExampleLine> {
  /** Why no further runs are started. */
  stopped: string | undefined;
  readonly #request: ExamplesRequest<Example>;
  readonly #experiment: Experiment;
  /** The runs of each example, by its ID. */
  readonly #runs = new Map<string, ScoredRun[]>();
  #tokens = 0;
  #cost = 0;

  constructor(request: ExamplesRequest<Example>, experiment: Experiment) {
    this.#request = request;
    this.#experiment = experiment;
  }

  async run(): Promise<void> {
    const { examples, settings, signal } = this.#request;
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

  resultOf({ id, example }: StoredExample<Example>): ExampleResult<Example> {
    const runs = (this.#runs.get(id) ?? []).toSorted((a, b) => a.repetition - b.repetition);
    return { example, exampleId: id, runs, verdict: verdictOf(runs) };
  }

  async #runOnce(stored: StoredExample<Example>, repetition: number, signal: AbortSignal): Promise<void> {
    const { id: exampleId, example, cassette } = stored;
    const { client, settings, graph, deploymentId, evaluators, onStart, onRun, onExample } = this.#request;
    onStart?.(example, repetition);
    const timeoutMs = settings.timeout_seconds * 1000;
    const { configurable, context } = settings;
    const run = await runExample(
      client,
      {
        graph,
        exampleId,
        timeoutMs,
        configurable,
        context,
        cassette,
        inputs: example.inputs,
        experiment: this.#experiment.name,
      },
      signal,
    );
    const trace = run.runId === '' ? undefined : await readTrace(client, run.runId, signal);
    if (trace !== undefined && trace.reference_example_id !== exampleId)
      await this.#assign(trace, exampleId, signal);
    const scores =
      run.error === undefined
        ? await scoreRun(
            client,
            {
              deploymentId,
              evaluators,
              example,
              exampleId,
              run,
              trace,
              timeoutMs,
              datasetId: this.#request.dataset.id,
            },
            signal,
          )
        : [];
    const failures = failuresOf({ ...run, scores }, settings);
    const scored: ScoredRun = {
      ...run,
      repetition,
      scores,
      failures,
      tokens: trace?.total_tokens ?? undefined,
      cost: costOf(trace?.total_cost),
    };
    await this.#store(scored, signal);
    this.#count(scored);
    const all = [...(this.#runs.get(exampleId) ?? []), scored];
    this.#runs.set(exampleId, all);
    onRun?.(example, scored);
    if (all.length === settings.repetitions) onExample?.(this.resultOf(stored));
  }

  /**
   * Assigns a trace to its example. In a replay, only the last recorded run is sent with the example's ID, so the trace
   * of a replay that ends earlier has none.
   */
  async #assign(trace: RunWithChildren, exampleId: string, signal: AbortSignal): Promise<void> {
    const { id, trace_id, dotted_order, status } = trace;
    const session_id = this.#experiment.id;
    await this.#request.client.tracing.runs.update(
      {
        params: { run_id: id },
        body: { id, trace_id, dotted_order, session_id, status, reference_example_id: exampleId },
      },
      { signal },
    );
  }

  /** Stores the scores of a run, and whether it passed, as feedback; nothing for a run without an ID. */
  async #store({ runId, scores, failures }: ScoredRun, signal: AbortSignal): Promise<void> {
    if (runId === '') return;
    const { client } = this.#request;
    const run = { runId, experiment: this.#experiment };
    // An evaluator of the project may give this score itself.
    const hasPassScore = scores.some(({ key }) => key === PASS_KEY);
    const verdict = {
      key: PASS_KEY,
      score: failures.length === 0 ? 1 : 0,
      comment: failures.join('\n') || null,
    };
    const stored = hasPassScore ? scores : [...scores, { ...verdict, evaluator: '' }];
    for (const { evaluator: _, error, ...score } of stored) {
      await storeScore(
        client,
        run,
        { ...score, ...(error === undefined ? {} : { error: true }) },
        { signal },
      );
    }
  }

  /** Adds the tokens and the cost of a run to the totals, and sets `stopped` if the budget allows no further run. */
  #count({ tokens = 0, cost }: ScoredRun): void {
    const { budget } = this.#request.settings;
    this.#tokens += tokens;
    this.#cost += cost ?? 0;
    if (budget.cost !== undefined && tokens > 0 && cost === undefined) {
      this.stopped ??=
        'A trace contains no cost, or only free calls, so budget.cost cannot be enforced. Set budget.tokens instead.';
    }
    if (budget.tokens !== undefined && this.#tokens >= budget.tokens) {
      this.stopped ??= `The budget of ${budget.tokens} tokens is used up. Raise budget.tokens to run the rest.`;
    }
    if (budget.cost !== undefined && this.#cost >= budget.cost) {
      this.stopped ??= `The budget of $${budget.cost} is used up. Raise budget.cost to run the rest.`;
    }
  }
}

/**
 * The cost of a trace in dollars, which platforms send as text. It is undefined for 0, which platforms also send if the
 * prices are unknown.
 */
function costOf(cost: unknown): number | undefined {
  const number = typeof cost === 'string' ? Number(cost) : cost;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
}
