import type { Client } from '../../client/client.ts';
import type { DatasetChoices } from '../datasets/dataset-choices.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { QueuedDeletions } from '../purging/queued-deletions.ts';
import { readDatasets } from './datasets.ts';
import { MoreElement } from './more.ts';
import { Purges } from './purges.ts';
import type { TraceOptions } from './trace-options.ts';
import { ProjectElement } from './traces.ts';
import type { TreeElement, TreeSource } from './tree.ts';

/** How many projects are shown at first, those that ran last, and how many more each time. */
const PROJECTS_SIZE = 100;
/** The key of the number of projects in `#shown`. */
const PROJECTS_ID = 'projects';

interface TracesParts {
  readonly deployments: Deployments;
  readonly options: TraceOptions;
  readonly choices: DatasetChoices;
  readonly queued: QueuedDeletions;
}

/** Reads the projects that ran last, without those of experiments. */
async function readProjects(client: Client, wanted: number) {
  const { readUpTo } = await import('../../client/read-up-to.ts');
  const order = { sort_by: 'last_run_start_time', sort_by_desc: true } as const;
  return readUpTo(wanted, (page) =>
    client.tracing.sessions.list({ query: { ...page, ...order, reference_free: true } }),
  );
}

/** The unfinished purges, the projects with their newest traces, and the datasets of a platform. */
export class TracesSource implements TreeSource {
  readonly #deployments: Deployments;
  readonly #options: TraceOptions;
  readonly #choices: DatasetChoices;
  readonly #purges: Purges;
  /** How many projects and datasets are shown, and how many rows each of them shows, by its ID. */
  readonly #shown = new Map<string, number>();

  constructor({ deployments, options, choices, queued }: TracesParts) {
    this.#deployments = deployments;
    this.#options = options;
    this.#choices = choices;
    this.#purges = new Purges(queued);
  }

  get message(): string | undefined {
    return this.#options.message;
  }

  async roots(): Promise<readonly TreeElement[]> {
    const { connection } = this.#deployments;
    const { state } = connection;
    if (state.status !== 'ready' || connection.isAgentServerOnly) return [];
    const wanted = this.#shown.get(PROJECTS_ID) ?? PROJECTS_SIZE;
    const [{ found: projects, isMore }, purges, datasets, [retention]] = await Promise.all([
      readProjects(state.client, wanted),
      this.#purges.readRow(state.client, connection),
      readDatasets({ connection, client: state.client, shown: this.#shown, choices: this.#choices }),
      // If the platform does not report retention, tooltips do not mention it.
      state.client.purging.listTtl().catch(() => []),
    ]);
    // The project of the current deployment, which has the same name, comes first.
    const current = await this.#deployments.currentName();
    const own = projects.filter(({ name }) => name === current);
    const others = projects.filter(({ name }) => name !== current);
    const rows = [...own, ...others].map(
      (project, index) =>
        new ProjectElement(project, index === 0, {
          connection,
          client: state.client,
          options: this.#options,
          retention,
          shown: this.#shown,
        }),
    );
    const more = isMore
      ? new MoreElement(undefined, undefined, () => this.#shown.set(PROJECTS_ID, wanted + PROJECTS_SIZE))
      : undefined;
    return [purges, ...rows, more, datasets].filter((row) => row !== undefined);
  }
}
