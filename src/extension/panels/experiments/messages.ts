import { z } from 'zod';
import type { ScoreChange } from '../../../experiments/compare-scores.ts';
import type { Experiment } from '../../../experiments/experiment.ts';
import type { Preference } from '../../../experiments/preference.ts';
import type { Spread } from '../../../experiments/spread.ts';

/**
 * The messages between the experiments panel's webview and the extension host. All experiments come in one
 * event. The examples of the two compared experiments come in pages, without their whole payloads.
 */

const Nothing = z.object({});
const Compared = z.object({
  experiment_id: z.string(),
  /** Absent if there is nothing to compare with. */
  baseline_id: z.string().optional(),
});
export type Compared = z.output<typeof Compared>;
const OfExample = z.object({ example_id: z.string(), title: z.string() });

/** Requests of the webview by name, with their parameters as the host checks them. */
export const experimentsPanelRequests = {
  /** The webview has loaded: asks for the experiments. */
  ready: Nothing,
  refresh: Nothing,
  /** Asks for the examples with the results of an experiment and of its baseline. */
  compare: Compared,
  /** Stores the baseline with the dataset, for everyone who opens it. */
  setBaseline: z.object({ experiment_id: z.string() }),
  openTrace: z.object({ run_id: z.string(), title: z.string() }),
  /** Shows the differences between the outputs of two runs. */
  compareOutputs: z.object({ baseline_run_id: z.string(), run_id: z.string(), title: z.string() }),
  /** Shows two traces side by side. */
  compareTraces: z.object({ baseline_run_id: z.string(), run_id: z.string(), title: z.string() }),
  openExample: OfExample,
  /** Writes the comparison as CSV to a file that the user chooses. */
  exportCsv: Compared,
  /** Runs the code of the open folder on the dataset version of an experiment. */
  runAgain: z.object({ experiment_id: z.string() }),
  /** Cancels the run that `runAgain` has started; `runAgain` then answers. */
  cancelRun: Nothing,
  showLog: Nothing,
};

type ExperimentsPanelRequest = keyof typeof experimentsPanelRequests;
export type ExperimentsPanelParams = {
  [R in ExperimentsPanelRequest]: z.input<(typeof experimentsPanelRequests)[R]>;
};

/** The answer to `ready`: the dataset of the panel. */
export interface DatasetHead {
  readonly name: string;
  readonly example_count: number;
  /** Whether the dataset is on the local server, so that the code of the open folder can be run on it. */
  readonly can_run: boolean;
}

export interface ExperimentsPanelResponses {
  ready: DatasetHead;
  refresh: undefined;
  compare: undefined;
  setBaseline: undefined;
  openTrace: undefined;
  compareOutputs: undefined;
  compareTraces: undefined;
  openExample: undefined;
  exportCsv: undefined;
  /**
   * The ID of the new experiment; absent if the run failed, which has been reported, or the experiment to
   * repeat no longer exists.
   */
  runAgain: { readonly experiment_id?: string } | 'canceled';
  cancelRun: undefined;
  showLog: undefined;
}

// The webview may import types only from the contract and from here.
export type { Experiment as ExperimentRow, Preference, Spread };

/** The parts of an example's result in an experiment that a row shows. */
export interface ResultCell {
  /** The outputs in one line; empty if they have no words. */
  readonly output: string;
  /** The error of the first run that failed, in one line. */
  readonly error?: string;
  /** The runs of the example's repetitions. */
  readonly run_ids: readonly string[];
  /** How many of the runs failed. */
  readonly failed: number;
  readonly scores: Readonly<Record<string, Spread>>;
  /** Feedback that is not a score, by key. */
  readonly values: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly latency?: Spread;
  /** The cost in US dollars. */
  readonly cost?: Spread;
}

export interface ExampleRow {
  readonly id: string;
  readonly title: string;
  readonly baseline?: ResultCell;
  readonly result?: ResultCell;
  /** The change of each score, by feedback key. */
  readonly changes: Readonly<Record<string, ScoreChange>>;
  /** How the experiment did in comparisons with its baseline, by feedback key. */
  readonly preferences: Readonly<Record<string, Preference>>;
}

export type ExperimentsEvent =
  | {
      readonly type: 'experiments';
      readonly experiments: readonly Experiment[];
      /** How many examples the dataset has now. */
      readonly example_count: number;
      /** The baseline that is stored with the dataset. */
      readonly baseline_id?: string;
    }
  | {
      readonly type: 'rows';
      readonly rows: readonly ExampleRow[];
      /** Whether these rows replace all rows before them. */
      readonly is_first: boolean;
      readonly is_last: boolean;
    }
  | { readonly type: 'failed'; readonly message: string };

/** Kept by the webview with `setState`, so that the panel is restored after a reload or a restart. */
export const ExperimentsPanelState = z.object({
  version: z.literal(1),
  /** The ID of the connection whose platform has the dataset. */
  connection: z.string(),
  dataset_id: z.string(),
  /**
   * The two experiments that are compared; by default the newest one, and the stored baseline or the one
   * before it.
   */
  experiment_id: z.string().optional(),
  baseline_id: z.string().optional(),
  /** Which examples are shown. */
  shown: z.enum(['all', 'regressed', 'improved', 'won', 'lost', 'tied', 'failed']).default('all'),
  /** The feedback key whose changes are counted; all when absent. */
  key: z.string().optional(),
  query: z.string().default(''),
  /** The example that is selected. */
  selected: z.string().optional(),
});
export type ExperimentsPanelState = z.output<typeof ExperimentsPanelState>;
