import * as vscode from 'vscode';

/** A program to run, and the title of its task. */
interface TerminalProgram {
  readonly title: string;
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
}

/** After a task has ended, the exit code of its process may still arrive for this long. */
const EXIT_CODE_MS = 1_000;

/** Runs a program as a task in a terminal. @returns whether it succeeded */
export async function runInTerminal({ title, command, args, cwd }: TerminalProgram): Promise<boolean> {
  const task = new vscode.Task(
    { type: 'agent-harbor' },
    vscode.TaskScope.Workspace,
    title,
    'Agent Harbor',
    // A shell finds npm on Windows too, where npm is a script. VS Code quotes arguments with spaces for the
    // shell.
    new vscode.ShellExecution(command, args, { cwd }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Shared };
  const ended = Promise.withResolvers<boolean>();
  const started = vscode.tasks.executeTask(task);
  // Another installation may run a task of the same name.
  const ifOurs = (execution: vscode.TaskExecution, end: () => void): void =>
    void started.then(
      (ours) => (execution === ours ? end() : undefined),
      () => undefined,
    );
  const subscriptions = vscode.Disposable.from(
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) =>
      ifOurs(execution, () => ended.resolve(exitCode === 0)),
    ),
    // A task whose program cannot be started has no process that ends.
    vscode.tasks.onDidEndTask(({ execution }) =>
      ifOurs(execution, () => setTimeout(() => ended.resolve(false), EXIT_CODE_MS)),
    ),
  );
  try {
    await started;
    return await ended.promise;
  } finally {
    subscriptions.dispose();
  }
}
