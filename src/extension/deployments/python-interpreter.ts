import * as vscode from 'vscode';
import type { ErrorReporter } from '../dialogs/errors.ts';

/** The part of the Python extension's API that is needed. */
interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
    resolveEnvironment(path: {
      readonly path: string;
    }): Promise<
      { readonly executable: { readonly uri?: vscode.Uri }; readonly environment?: object } | undefined
    >;
  };
}

/** The maximum wait for the Python extension to become active. */
const MAX_WAIT_MS = 2_000;

/** The Python that the user chose in VS Code, and changes of that choice. */
export class PythonInterpreters implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #errors: ErrorReporter;
  #extension: Promise<PythonExtension | undefined> | undefined;

  constructor(errors: ErrorReporter) {
    this.#errors = errors;
    this.#subscriptions = [
      this.#changed,
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('python.defaultInterpreterPath')) this.#changed.fire();
      }),
    ];
  }

  /**
   * Fires when another environment was selected in the Python extension, or another interpreter configured.
   */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /**
   * The interpreter that the user chose for a project: the environment selected in the Python extension, else
   * the configured one. Undefined when there is no choice, or the project has no code in Python: then the
   * server finds one.
   */
  async findChosen(config: vscode.Uri): Promise<string | undefined> {
    if (!(await isForPython(config))) return undefined;
    const folder = vscode.Uri.joinPath(config, '..');
    this.#extension ??= this.#activate();
    const selected = await this.#extension
      .then((python) => python && selectedIn(python, folder))
      .catch((error) => this.#log(error));
    return selected ?? configuredInterpreter(folder);
  }

  /** Logs an error of the Python extension. It is not shown, because the server finds a Python itself. */
  #log(error: unknown): undefined {
    this.#errors.log(error, 'ask the Python extension for its environment');
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /**
   * Activates the Python extension, and waits briefly: if it becomes active later, the interpreter is
   * reported as changed. Only called for Python projects, because other projects must not start that
   * extension.
   */
  async #activate(): Promise<PythonExtension | undefined> {
    const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
    if (extension === undefined) return undefined;
    const active = Promise.resolve(extension.activate())
      .then((python) => {
        const { onDidChangeActiveEnvironmentPath: onDidChange } = python.environments;
        this.#subscriptions.push(onDidChange(() => this.#changed.fire()));
        return python;
      })
      .catch((error) => this.#log(error));
    const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), MAX_WAIT_MS));
    const first = await Promise.race([active, late]);
    if (first !== 'late') return first;
    this.#extension = active;
    void active.then(() => this.#changed.fire());
    return undefined;
  }
}

/** The environment that is selected in the Python extension; undefined if none is. */
async function selectedIn(
  { environments }: PythonExtension,
  folder: vscode.Uri,
): Promise<string | undefined> {
  const resolved = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  // The extension falls back to a system interpreter, which is not a choice.
  return resolved?.environment && resolved.executable.uri?.fsPath;
}

/** Whether a `langgraph.json` can be read, and a runtime for Python loads something that it names. */
async function isForPython(config: vscode.Uri): Promise<boolean> {
  // Loaded on demand, because it is bundled into a chunk for other code that is loaded on demand.
  const { usesPython } = await import('./python-in-config.ts');
  try {
    return usesPython(new TextDecoder().decode(await vscode.workspace.fs.readFile(config)));
  } catch {
    return false;
  }
}

/** The interpreter in the settings of VS Code; undefined if none is set. */
function configuredInterpreter(folder: vscode.Uri): string | undefined {
  const configured = vscode.workspace
    .getConfiguration('python', folder)
    .inspect<string>('defaultInterpreterPath');
  const value = configured?.workspaceFolderValue ?? configured?.workspaceValue ?? configured?.globalValue;
  const root = vscode.workspace.getWorkspaceFolder(folder)?.uri.fsPath ?? folder.fsPath;
  // `python` is the default of the setting, so it is no choice.
  return value === undefined || value === '' || value === 'python'
    ? undefined
    : value.replace(/\$\{workspaceFolder\}/g, root);
}
