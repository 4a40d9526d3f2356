import * as vscode from 'vscode';
import { assistantCommands } from '../commands/assistants/assistant-commands.ts';
import type { Commands } from '../commands/command.ts';
import { connectionCommands } from '../commands/connections/connection-commands.ts';
import { copyingCommands } from '../commands/copying/copying-commands.ts';
import { datasetCommands } from '../commands/datasets/dataset-commands.ts';
import { deploymentCommands } from '../commands/deployments/deployment-commands.ts';
import { draftCommands } from '../commands/drafts/draft-commands.ts';
import { generalCommands } from '../commands/general/general-commands.ts';
import { projectCommands } from '../commands/projects/project-commands.ts';
import { purgingCommands } from '../commands/purging/purging-commands.ts';
import { runFileCommands } from '../commands/run-files/run-file-commands.ts';
import { runCommands } from '../commands/runs/run-commands.ts';
import { testCommands } from '../commands/tests/test-commands.ts';
import { threadCommands } from '../commands/threads/thread-commands.ts';
import { traceCommands } from '../commands/traces/trace-commands.ts';
import type { Deploying } from '../deploy/deploying.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import type { NewProjects } from '../projects/new-projects.ts';
import type { Trees } from '../views/live-refresh.ts';
import { Row } from '../views/rows.ts';
import type { EditableSchemes } from './documents.ts';
import type { Panels } from './panels.ts';
import type { Services } from './services.ts';

/** All parts that commands may need; the type of each command names those that it takes. */
type Parts = Services &
  Panels & {
    readonly trees: Trees;
    readonly editable: EditableSchemes;
    readonly newProjects: NewProjects;
    /** The deployment code, loaded when something is deployed. */
    readonly deploying: () => Promise<Deploying>;
    /** The extension's ID: `publisher.name`. */
    readonly extensionId: string;
    /** The extension's version. */
    readonly version: string;
    /** The folder of the bundles, the server's among them. */
    readonly bundles: string;
    /** The folder of the project templates. */
    readonly templates: string;
    /** The folder of the launchers, which is on the PATH of VS Code's terminals. */
    readonly launchers: string;
    /** The file of the skill for coding agents. */
    readonly skill: string;
  };

/** Every command by its ID without the prefix `agentHarbor.`; package.json contributes exactly these. */
const commands: Commands<Parts> = {
  ...assistantCommands,
  ...connectionCommands,
  ...copyingCommands,
  ...datasetCommands,
  ...deploymentCommands,
  ...draftCommands,
  ...generalCommands,
  ...projectCommands,
  ...purgingCommands,
  ...runCommands,
  ...runFileCommands,
  ...testCommands,
  ...threadCommands,
  ...traceCommands,
};

/** Registers every command. An error that a command throws is reported. */
export function registerCommands(parts: Parts, errors: ErrorReporter): vscode.Disposable {
  const registrations = Object.entries(commands).map(([name, command]) =>
    vscode.commands.registerCommand(`agentHarbor.${name}`, async (...args: unknown[]) => {
      try {
        await command(parts, ...withSelection(args, parts.trees).map(elementsOf));
      } catch (error) {
        // The caller does not wait until the message is answered.
        void errors.report(error, name);
      }
    }),
  );
  return vscode.Disposable.from(...registrations);
}

/**
 * Replaces the view that a key binding passes with its selected rows, which VS Code does not pass to key
 * bindings.
 */
function withSelection(args: readonly unknown[], trees: Trees): readonly unknown[] {
  const [first] = args;
  if (typeof first !== 'object' || first === null || !('view' in first)) return args;
  const tree = Object.entries(trees).find(([name]) => name === first.view)?.[1];
  return tree === undefined ? args : tree.selection;
}

/** Replaces tree rows with their current elements. */
function elementsOf(argument: unknown): unknown {
  if (Array.isArray(argument)) return argument.map(elementsOf);
  return argument instanceof Row ? argument.element : argument;
}
