import type { DatasetChoices } from '../datasets/dataset-choices.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { QueuedDeletions } from '../purging/queued-deletions.ts';
import { readDatasets } from './datasets.ts';
import { Purges } from './purges.ts';
import type { TraceOptions } from './trace-options.ts';
import { ProjectElement } from './traces.ts';
import type { TreeElement, TreeSource } from './tree.ts';

/** The maximum number of projects that are shown: those that ran last. */
const MAX_PROJECTS = 100;

interface TracesParts {
  readonly deployments: Deployments;
  readonly options: TraceOptions;
  readonly choices: DatasetChoices;
  readonly queued: QueuedDeletions;
}

/** The unfinished purges, the projects with their newest traces, and the datasets of a platform. */
export class TracesSource implements TreeSource {
  readonly #deployments: Deployments;
  readonly #options: TraceOptions;
  readonly #choices: DatasetChoices;
  readonly #purges: Purges;
  /** How many traces each project shows, and how many examples each dataset. */
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
    const [projects, purges, datasets, [retention]] = await Promise.all([
      state.client.tracing.sessions.list({
        query: {
          sort_by: 'last_run_start_time',
          sort_by_desc: true,
          reference_free: true,
          limit: MAX_PROJECTS,
        },
      }),
      this.#purges.of(state.client, connection),
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
    return [purges, ...rows, datasets].filter((row) => row !== undefined);
  }
}
