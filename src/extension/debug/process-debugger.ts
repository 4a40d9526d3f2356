import path from 'node:path';
import * as vscode from 'vscode';
import type { DebugEvent } from '../../contract/debugging.ts';
import { ActionableError } from '../dialogs/errors.ts';
import { DEBUG_TYPE, portProperty, withProcess } from './debug-type.ts';

export type DebuggedProcess = Extract<DebugEvent, { type: 'process' }>;

const JAVASCRIPT_DEBUGGER = 'ms-vscode.js-debug';
/** The files of the runtimes that load the graphs, wherever they are installed. */
const NODE_RUNTIME = '**/dist/runtime-node*.js';
const PYTHON_RUNTIME = '**/agent_harbor_runtime/**';

/** The user's choices about debugging. */
interface DebugChoices {
  /** The folder of langgraph.json. */
  readonly folder: string;
  /** Whether steps and stacks leave out code that is not the project's own. */
  readonly justMyCode: boolean;
}

/**
 * The configuration with which VS Code debugs a process of a live deployment.
 * @throws ActionableError when VS Code has no debugger for it.
 */
export function processDebugger(debugged: DebuggedProcess, choices: DebugChoices): vscode.DebugConfiguration {
  const configuration =
    debugged.language === 'python' ? forPython(debugged, choices) : forNode(debugged, choices);
  return withProcess(configuration, debugged.process_id);
}

/**
 * The configuration for a Python process. It runs debugpy, which speaks the Debug Adapter Protocol, so no
 * extension is needed.
 */
function forPython({ process_id, address }: DebuggedProcess, { justMyCode }: DebugChoices) {
  return {
    type: DEBUG_TYPE,
    request: 'attach',
    name: vscode.l10n.t('Python process {0}', process_id),
    justMyCode,
    // Otherwise debugpy would take the runtime for the user's own code, because it is not in site-packages.
    ...(justMyCode && { rules: [{ path: PYTHON_RUNTIME, include: false }] }),
    subProcess: false,
    ...portProperty(address),
  };
}

function forNode({ process_id, address }: DebuggedProcess, { folder, justMyCode }: DebugChoices) {
  if (vscode.extensions.getExtension(JAVASCRIPT_DEBUGGER) === undefined) throw noJavaScriptDebugger();
  return {
    type: 'pwa-node',
    request: 'attach',
    name: vscode.l10n.t('Node process {0}', process_id),
    websocketAddress: address,
    cwd: folder,
    continueOnAttach: true,
    // If this were true, NODE_OPTIONS would stay changed in the user's process and in all processes that it
    // starts.
    autoAttachChildProcesses: false,
    attachExistingChildren: false,
    // Loaders transform modules in memory. The source maps are part of the transformed modules, and no file
    // in the folder is compiled output.
    sourceMaps: true,
    outFiles: [],
    pauseForSourceMap: true,
    resolveSourceMapLocations: justMyCode ? ['**', '!**/node_modules/**', `!${NODE_RUNTIME}`] : null,
    skipFiles: ['<node_internals>/**', ...(justMyCode ? ['**/node_modules/**', NODE_RUNTIME] : [])],
  };
}

function noJavaScriptDebugger(): ActionableError {
  return new ActionableError(
    vscode.l10n.t(
      "VS Code's JavaScript debugger is disabled. Enable the built-in extension JavaScript Debugger.",
    ),
    [
      {
        title: vscode.l10n.t('Show Extension'),
        command: 'workbench.extensions.search',
        arguments: [`@builtin ${JAVASCRIPT_DEBUGGER}`],
      },
    ],
  );
}

/**
 * The path of the debugpy in the extension Python Debugger, for environments without debugpy. Undefined if
 * the extension is not installed.
 */
export function debugpyOfExtension(): string | undefined {
  const found = vscode.extensions.getExtension('ms-python.debugpy');
  return found && path.join(found.extensionPath, 'bundled', 'libs');
}
