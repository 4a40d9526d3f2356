import type { Client } from '../client/client.ts';
import type { GraphStatus } from '../contract/harbor.ts';
import type { EvaluatorReference } from '../evaluation/score-run.ts';
import type { DescribedProject } from '../run-files/describe-project.ts';

/** A project with its code loaded as it is now. */
export interface ServedProject extends AsyncDisposable {
  /** The client of its deployment. */
  readonly client: Client;
  readonly deploymentId: string;
  readonly graphs: readonly GraphStatus[];
  readonly evaluators: readonly EvaluatorReference[];
}

/** The surroundings of tools: a platform with its traces, and the project of a folder. */
export interface Workshop {
  /** Finds or starts the platform. */
  platform(): Promise<Client>;
  /** The real path of langgraph.json. @throws Error when there is none */
  config(): Promise<string>;
  /** Loads the project's code. @param variables of the environment that are stood in for where they are missing */
  serve(variables?: Readonly<Record<string, string>>): Promise<ServedProject>;
  /** The parts of the project that run files name, and the secrets that they must not. */
  describe(): Promise<DescribedProject>;
  /** The name of the tracing project that traces are looked for in when none is named; undefined when there are none yet. */
  tracingProject(): Promise<{ readonly id: string; readonly name: string } | undefined>;
  readonly signal: AbortSignal;
}

/** @throws Error with a sentence for the caller when a graph of the project does not load */
export function requireLoaded({ graphs }: Pick<ServedProject, 'graphs'>, graphId: string): void {
  const graph = graphs.find(({ graph_id }) => graph_id === graphId);
  if (graph?.status !== 'failed') return;
  const { name, message } = graph.error;
  throw new Error(
    `Graph '${graphId}' does not load: ${name}: ${message.replace(/\.$/, '')}. graph_structure says where.`,
  );
}
