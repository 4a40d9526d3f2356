import type { Client } from '../client/client.ts';
import type { GraphStatus, SourceLocation } from '../contract/harbor.ts';
import type { EvaluatorReference } from '../evaluation/score-run.ts';
import type { DescribedProject } from '../run-files/describe-project.ts';

/** A deployment whose graphs have loaded, for as long as a tool uses it. */
export interface ServedDeployment extends AsyncDisposable {
  readonly client: Client;
  readonly graphs: readonly GraphStatus[];
  /** Where the nodes of a graph were written; empty if that is unknown. */
  locateNodes(graphId: string): Promise<Readonly<Record<string, SourceLocation>>>;
}

/** The context of every tool: a platform with its traces, and one of its deployments. */
export interface ToolContext {
  platform(): Promise<Client>;
  deployment(): Promise<ServedDeployment>;
  /** The folder from which places in sources are named; undefined where the sources are not on this machine. */
  folder(): Promise<string | undefined>;
  /** The name of the tracing project that traces are looked for in when none is named; undefined when there are none yet. */
  tracingProject(): Promise<{ readonly id: string; readonly name: string } | undefined>;
  readonly signal: AbortSignal;
}

/** A project with its current code loaded. */
export interface ServedProject extends ServedDeployment {
  readonly deploymentId: string;
  readonly evaluators: readonly EvaluatorReference[];
}

/** The context of tools that need the project of a folder: its files and its current code. */
export interface ProjectToolContext extends ToolContext {
  /** The real path of langgraph.json. @throws Error when there is none */
  config(): Promise<string>;
  /** Loads the project's code. @param variables of the environment, used where they are missing */
  serve(variables?: Readonly<Record<string, string>>): Promise<ServedProject>;
  /** The parts of the project that run files name, and the secrets that they must not. */
  describe(): Promise<DescribedProject>;
}

/** @throws Error with a sentence for the caller when a graph of the project does not load */
export function requireLoaded({ graphs }: Pick<ServedDeployment, 'graphs'>, graphId: string): void {
  const graph = graphs.find(({ graph_id }) => graph_id === graphId);
  if (graph?.status !== 'failed') return;
  const { name, message } = graph.error;
  throw new Error(
    `Graph '${graphId}' does not load: ${name}: ${message.replace(/\.$/, '')}. graph_structure says where.`,
  );
}
