import type { Client } from '../client/client.ts';
import type { GraphStatus, SourceLocation } from '../contract/harbor.ts';
import type { EvaluatorReference } from '../evaluation/score-run.ts';
import type { DescribedProject } from '../run-files/describe-project.ts';

/** A deployment for as long as a tool uses it. Its graphs have loaded, or failed to load. */
export interface ServedDeployment extends AsyncDisposable {
  readonly client: Client;
  readonly graphs: readonly GraphStatus[];
  /** Finds where the nodes of a graph are defined; empty if that is unknown. */
  locateNodes(graphId: string): Promise<Readonly<Record<string, SourceLocation>>>;
}

/** The context of every tool: a platform with its traces, and one of its deployments. */
export interface ToolContext {
  platform(): Promise<Client>;
  deployment(): Promise<ServedDeployment>;
  /** The folder to which paths of sources are relative; undefined if the sources are not on this machine. */
  folder(): Promise<string | undefined>;
  /** The tracing project that is searched if the caller names none; undefined if there is none yet. */
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
  /** Loads the project's code. @param variables values for variables that the environment does not have */
  serve(variables?: Readonly<Record<string, string>>): Promise<ServedProject>;
  /** Describes the project for run files, and lists the secrets that must not be in them. */
  describe(): Promise<DescribedProject>;
}

/**
 * Checks that a graph has not failed to load. Other names pass, because they may be IDs of assistants.
 * @throws Error with a sentence for the caller if the graph has failed
 */
export function requireLoaded({ graphs }: Pick<ServedDeployment, 'graphs'>, graphId: string): void {
  const graph = graphs.find(({ graph_id }) => graph_id === graphId);
  if (graph?.status !== 'failed') return;
  const { name, message } = graph.error;
  throw new Error(
    `Graph '${graphId}' does not load: ${name}: ${message.replace(/\.$/, '')}. graph_structure says where.`,
  );
}
