import type { Client } from '../../../client/client.ts';
import type { Change } from '../../../contract/harbor.ts';
import type { Experiment } from '../../../experiments/experiment.ts';
import { readLowerIsBetter } from '../../../experiments/lower-is-better.ts';
import { readExperiments } from '../../../experiments/read-experiments.ts';
import { type JudgedExample, withPreferences } from '../../../experiments/read-preferences.ts';
import { readResults } from '../../../experiments/read-results.ts';
import type { PlatformConnection } from '../../connections/connection.ts';
import { ThrottledReading } from '../throttled-reading.ts';
import { toExampleRow } from './example-row.ts';
import type { Compared, DatasetHead, ExampleRow, ExperimentsEvent } from './messages.ts';

interface ExperimentsReaderParts {
  readonly connect: () => Promise<Client>;
  /** The connection, which announces changes; undefined if it has been removed. */
  readonly connection: Pick<PlatformConnection, 'onDidChange'> | undefined;
  readonly datasetId: string;
  readonly send: (events: readonly ExperimentsEvent[]) => void;
  readonly onError: (error: unknown) => void;
}

/** The fields of the event `rows`. */
type RowsPage = Omit<Extract<ExperimentsEvent, { type: 'rows' }>, 'type'>;

/**
 * Reads the experiments on a dataset and the results of two of them, and reads them again when they change.
 */
export class ExperimentsReader {
  readonly #parts: ExperimentsReaderParts;
  readonly #reading: ThrottledReading;
  readonly #subscription: { dispose(): unknown } | undefined;
  readonly #closed = new AbortController();
  #experiments: readonly Experiment[] = [];
  #lowerIsBetter: ReadonlySet<string> = new Set();
  #compared: Compared | undefined;
  /** Ends the reading of results that are no longer needed. */
  #comparing = new AbortController();

  constructor(parts: ExperimentsReaderParts) {
    this.#parts = parts;
    const { connection, onError } = parts;
    this.#reading = new ThrottledReading({ read: () => this.#readAgain(), onError });
    this.#subscription = connection?.onDidChange((changes) => {
      if (changes.some((change) => this.#concerns(change))) this.#reading.readSoon();
    });
  }

  /** Sends the current experiments. @throws RequestError, also when there is no such dataset */
  async open(): Promise<Omit<DatasetHead, 'can_run'>> {
    return this.#readExperiments(await this.#parts.connect());
  }

  /** Sends the results of an experiment and its baseline, page by page. @throws RequestError */
  async compare(compared: Compared): Promise<void> {
    this.#compared = compared;
    await this.#readResults(await this.#parts.connect(), compared, (page) =>
      this.#parts.send([{ type: 'rows', ...page }]),
    );
  }

  /** Returns an experiment that has been read; undefined if none with this ID has. */
  find(id: string): Experiment | undefined {
    return this.#experiments.find((experiment) => experiment.id === id);
  }

  async refresh(): Promise<void> {
    await this.#reading.readNow();
  }

  dispose(): void {
    this.#closed.abort();
    this.#comparing.abort();
    this.#reading.dispose();
    this.#subscription?.dispose();
  }

  #concerns({ resource, id, session_id }: Change): boolean {
    const { datasetId } = this.#parts;
    if (resource === 'dataset') return id === datasetId;
    // The feed does not say which dataset an example, a project or feedback belongs to.
    if (resource === 'project' || resource === 'example' || resource === 'feedback') return true;
    return resource === 'trace' && this.#experiments.some((experiment) => experiment.id === session_id);
  }

  async #readExperiments(client: Client): Promise<Omit<DatasetHead, 'can_run'>> {
    const { datasetId } = this.#parts;
    const { signal } = this.#closed;
    const [dataset, experiments, lowerIsBetter] = await Promise.all([
      client.datasets.get({ params: { dataset_id: datasetId } }, { signal }),
      readExperiments(client, datasetId, { signal }),
      readLowerIsBetter(client, { signal }),
    ]);
    this.#experiments = experiments;
    this.#lowerIsBetter = lowerIsBetter;
    const baseline = dataset.baseline_experiment_id;
    this.#parts.send([
      {
        type: 'experiments',
        experiments,
        example_count: dataset.example_count ?? 0,
        ...(typeof baseline === 'string' && { baseline_id: baseline }),
      },
    ]);
    return { name: dataset.name, example_count: dataset.example_count ?? 0 };
  }

  /**
   * Reads everything again. The visible rows are replaced all at once, when the last ones have arrived.
   * @returns how long it took, in ms
   */
  async #readAgain(): Promise<number> {
    const client = await this.#parts.connect();
    const started = performance.now();
    await this.#readExperiments(client);
    if (this.#compared !== undefined) {
      const all: ExampleRow[] = [];
      await this.#readResults(client, this.#compared, ({ rows, is_last }) => {
        all.push(...rows);
        if (is_last) this.#parts.send([{ type: 'rows', rows: all, is_first: true, is_last }]);
      });
    }
    return performance.now() - started;
  }

  /**
   * Reads the rows of a comparison, page by page. This aborts the previous reading, which then ends without
   * an error.
   */
  async #readResults(client: Client, compared: Compared, take: (page: RowsPage) => void): Promise<void> {
    this.#comparing.abort();
    this.#comparing = new AbortController();
    const { signal } = this.#comparing;
    let is_first = true;
    try {
      for await (const examples of this.#pages(client, compared, signal)) {
        const rows = examples.map((example) => toExampleRow(example, compared, this.#lowerIsBetter));
        take({ rows, is_first, is_last: false });
        is_first = false;
      }
      take({ rows: [], is_first, is_last: true });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #pages(
    client: Client,
    { baseline_id: baseline, experiment_id: experiment }: Compared,
    signal: AbortSignal,
  ): AsyncIterable<readonly JudgedExample[]> {
    const { datasetId } = this.#parts;
    if (baseline === undefined) return readResults(client, datasetId, [experiment], { signal });
    const pages = readResults(client, datasetId, [experiment, baseline], { signal });
    return withPreferences(pages, client, datasetId, { baseline, experiment }, { signal });
  }
}
