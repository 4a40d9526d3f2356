import type {
  DatasetHead,
  ExampleRow,
  ExperimentRow,
  ExperimentsEvent,
  ExperimentsPanelParams,
  ExperimentsPanelResponses,
  ExperimentsPanelState,
} from '../../extension/panels/experiments/messages.ts';
import { PanelStore } from '../shared/panel-store.ts';
import {
  type ChangeCounts,
  countChanges,
  inOrder,
  keysOf,
  preferenceKeysOf,
  shownRows,
} from './shown-rows.ts';

export interface ExperimentsView {
  readonly head: DatasetHead | undefined;
  /** The experiments, newest first; undefined until they have arrived. */
  readonly experiments: readonly ExperimentRow[] | undefined;
  readonly experiment: ExperimentRow | undefined;
  /** The experiment that `experiment` is compared with. */
  readonly baseline: ExperimentRow | undefined;
  /** The feedback keys of all experiments. */
  readonly experimentKeys: readonly string[];
  /** The feedback keys of the two compared experiments. */
  readonly keys: readonly string[];
  /** The feedback keys of evaluators that compared the two directly. */
  readonly preferenceKeys: readonly string[];
  readonly counts: ChangeCounts;
  /** The visible examples. */
  readonly rows: readonly ExampleRow[];
  readonly selected: ExampleRow | undefined;
  /** Whether all examples have arrived. */
  readonly isLoaded: boolean;
  /** Whether an experiment is being run again. */
  readonly isRunning: boolean;
  /** Whether the user canceled the last attempt to run an experiment again. */
  readonly wasCanceled: boolean;
  readonly problem: string | undefined;
  readonly saved: ExperimentsPanelState;
}

/** The state of the experiments panel: which experiments are compared, and which examples are visible. */
export class ExperimentsPanelStore extends PanelStore<
  ExperimentsView,
  ExperimentsPanelParams,
  ExperimentsPanelResponses,
  ExperimentsEvent
> {
  #rows: readonly ExampleRow[] = [];
  /** The ID of the baseline that is stored with the dataset. */
  #storedBaseline: string | undefined;
  /** The comparison that was requested last, as JSON; empty if the request failed. */
  #requested = '';

  /** @param saved the initial state of the page, used if the webview has stored none itself. */
  constructor(saved: ExperimentsPanelState, listen: () => void) {
    super(listen, (kept) => ({
      head: undefined,
      experiments: undefined,
      experiment: undefined,
      baseline: undefined,
      experimentKeys: [],
      keys: [],
      preferenceKeys: [],
      counts: countChanges([], undefined),
      rows: [],
      selected: undefined,
      isLoaded: false,
      isRunning: false,
      wasCanceled: false,
      problem: undefined,
      saved: kept ?? saved,
    }));
  }

  async open(): Promise<void> {
    const head = await this.ask('ready', {});
    if (head !== undefined) this.update({ head });
  }

  /** Shows the results of an experiment. */
  choose(experimentId: string): void {
    this.#save({ experiment_id: experimentId });
    this.#compare();
  }

  /** Compares with another baseline, and stores it with the dataset. */
  chooseBaseline(experimentId: string): void {
    this.#storedBaseline = experimentId;
    this.#save({ baseline_id: experimentId });
    this.#compare();
    void this.ask('setBaseline', { experiment_id: experimentId });
  }

  /** Runs the code of the open folder in the same way as the visible experiment, and compares the two. */
  async runAgain(): Promise<void> {
    const { experiment, isRunning } = this.view;
    if (experiment === undefined || isRunning) return;
    this.update({ isRunning: true, wasCanceled: false });
    const made = await this.ask('runAgain', { experiment_id: experiment.id });
    this.update({ isRunning: false, wasCanceled: made === 'canceled' });
    if (made === undefined || made === 'canceled' || made.experiment_id === undefined) return;
    this.#save({ experiment_id: made.experiment_id, baseline_id: experiment.id });
    this.#compare();
  }

  select(exampleId: string): void {
    this.#save({ selected: exampleId });
    this.update({ selected: this.#rows.find(({ id }) => id === exampleId) });
  }

  /** Changes which examples are shown. */
  show(change: Partial<Pick<ExperimentsPanelState, 'shown' | 'key' | 'query'>>): void {
    this.#save(change);
    this.#showRows();
  }

  /** The compared experiments, in the form of requests; undefined until there is an experiment. */
  get compared(): ExperimentsPanelParams['compare'] | undefined {
    const { experiment, baseline } = this.view;
    if (experiment === undefined) return undefined;
    return { experiment_id: experiment.id, ...(baseline && { baseline_id: baseline.id }) };
  }

  #save(change: Partial<ExperimentsPanelState>): void {
    this.update({ saved: { ...this.view.saved, ...change } });
  }

  protected override receive(events: readonly ExperimentsEvent[]): void {
    for (const event of events) this.#take(event);
  }

  #take(event: ExperimentsEvent): void {
    switch (event.type) {
      case 'experiments': {
        const { experiments, example_count, baseline_id } = event;
        const { head } = this.view;
        this.#storedBaseline = baseline_id;
        const experimentKeys = inOrder(experiments.flatMap(({ scores }) => Object.keys(scores)));
        this.update({
          experiments,
          experimentKeys,
          ...(head && { head: { ...head, example_count } }),
        });
        this.#compare();
        break;
      }
      case 'rows': {
        this.#rows = event.is_first ? event.rows : [...this.#rows, ...event.rows];
        this.update({ isLoaded: event.is_last });
        this.#showRows();
        break;
      }
      case 'failed':
        this.update({ problem: event.message });
    }
  }

  /** Requests the results of the current comparison, unless they were already requested. */
  #compare(): void {
    const { saved, experiments = [] } = this.view;
    const find = (id: string | undefined) => experiments.find((experiment) => experiment.id === id);
    const experiment = find(saved.experiment_id) ?? experiments[0];
    // Experiments are newest first, so the next one is the previous experiment.
    const previous = experiments[experiments.findIndex(({ id }) => id === experiment?.id) + 1];
    const chosen = find(saved.baseline_id) ?? find(this.#storedBaseline) ?? previous;
    // An experiment is not compared with itself.
    const baseline = chosen?.id === experiment?.id ? undefined : chosen;
    this.update({ experiment, baseline });
    const { compared } = this;
    const requested = JSON.stringify(compared);
    if (compared === undefined || this.#requested === requested) return;
    this.#requested = requested;
    this.#rows = [];
    this.update({ isLoaded: false });
    this.#showRows();
    void this.did('compare', compared).then((isDone) => {
      if (!isDone && this.#requested === requested) this.#requested = '';
    });
  }

  #showRows(): void {
    const { saved } = this.view;
    const keys = keysOf(this.#rows);
    const key = keys.includes(saved.key ?? '') ? saved.key : undefined;
    this.update({
      keys,
      preferenceKeys: preferenceKeysOf(this.#rows),
      counts: countChanges(this.#rows, key),
      rows: shownRows(this.#rows, { ...saved, key }),
      selected: this.#rows.find(({ id }) => id === saved.selected),
    });
  }
}
