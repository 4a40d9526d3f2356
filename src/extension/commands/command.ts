import * as vscode from 'vscode';
import type { AssistantAddresses } from '../assistants/assistant-address.ts';
import type { Connections } from '../connections/connections.ts';
import type { DatasetChoices } from '../datasets/dataset-choices.ts';
import type { Debugger } from '../debug/debugger.ts';
import type { Deploying } from '../deploy/deploying.ts';
import type { AutoStart } from '../deployments/auto-start.ts';
import type { FolderConfigs } from '../deployments/configs.ts';
import type { DeploymentLogs } from '../deployments/deployment-logs.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { PlatformLogs } from '../deployments/platform-logs.ts';
import type { JsonDocuments } from '../documents/documents.ts';
import type { NodeRunner } from '../nodes/node-runner.ts';
import type { ExperimentsPanels } from '../panels/experiments/experiments-panels.ts';
import type { RunPanels } from '../panels/run/run-panels.ts';
import type { RunFileEditors } from '../panels/run-file/run-file-editors.ts';
import type { TracePanels } from '../panels/trace/trace-panels.ts';
import type { NewProjects } from '../projects/new-projects.ts';
import type { PackageInstaller } from '../projects/package-installer.ts';
import type { QueuedDeletions } from '../purging/queued-deletions.ts';
import type { EvaluationTests } from '../testing/evaluation-tests.ts';
import type { Trees } from '../views/live-refresh.ts';
import { type RowKind, rowsOfKind } from '../views/selected-rows.ts';
import type { ThreadOptions } from '../views/thread-options.ts';
import type { TraceOptions } from '../views/trace-options.ts';

/** The services that commands depend on. */
export interface CommandParts {
  readonly connections: Connections;
  readonly deployments: Deployments;
  readonly configs: FolderConfigs;
  readonly autoStart: AutoStart;
  readonly trees: Trees;
  readonly threadOptions: ThreadOptions;
  readonly traceOptions: TraceOptions;
  readonly datasetChoices: DatasetChoices;
  readonly queuedDeletions: QueuedDeletions;
  readonly assistantAddresses: AssistantAddresses;
  readonly documents: JsonDocuments;
  readonly debugging: Debugger;
  readonly tests: EvaluationTests;
  readonly deploymentLogs: DeploymentLogs;
  readonly packageInstaller: PackageInstaller;
  readonly newProjects: NewProjects;
  readonly platformLogs: PlatformLogs;
  /** Loaded when the first node is run alone. */
  readonly nodes: () => Promise<NodeRunner>;
  /** Loaded when something is deployed. */
  readonly deploying: () => Promise<Deploying>;
  /** Loaded when the first panel is. */
  readonly panels: () => Promise<RunPanels>;
  readonly tracePanels: () => Promise<TracePanels>;
  readonly experimentsPanels: () => Promise<ExperimentsPanels>;
  readonly runFiles: () => Promise<RunFileEditors>;
  /** The extension's own, such as `publisher.name`. */
  readonly extensionId: string;
  /** The folder of the templates of projects. */
  readonly templates: string;
  /** The folder of the bundles, the server's among them. */
  readonly bundles: string;
  /** The extension's version. */
  readonly version: string;
  readonly log: vscode.LogOutputChannel;
}

/** A command. Its arguments depend on the caller: a tree row, an editor, the Command Palette. */
export type Command = (parts: CommandParts, ...args: readonly unknown[]) => Promise<void> | void;

/**
 * A command about rows of these kinds, which does nothing without one.
 * @param run gets the row that the command was called on and all that are selected with it, of these kinds alone.
 */
export function rowCommand<const Kinds extends readonly RowKind[]>(
  kinds: Kinds,
  run: (
    parts: CommandParts,
    row: InstanceType<Kinds[number]>,
    rows: readonly InstanceType<Kinds[number]>[],
  ) => Promise<void> | void,
): Command {
  return (parts, argument, selected) => {
    const rows = rowsOfKind(kinds, argument, selected);
    if (rows === 'lost') throw new Error(vscode.l10n.t('The view was refreshing. Run the command again.'));
    const [row] = rows;
    return row === undefined ? undefined : run(parts, row, rows);
  };
}
