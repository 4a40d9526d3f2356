import * as vscode from 'vscode';

/** A button of an error message that runs a command. */
export interface ErrorAction {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** An error with a readable message and actions. */
export class ActionableError extends Error {
  override readonly name = 'ActionableError';
  readonly actions: readonly ErrorAction[];

  constructor(sentence: string, actions: readonly ErrorAction[], options?: ErrorOptions) {
    super(sentence, options);
    this.actions = actions;
  }
}

interface ErrorReporterParts {
  readonly window: Pick<typeof vscode.window, 'showErrorMessage'>;
  readonly commands: Pick<typeof vscode.commands, 'executeCommand'>;
  readonly log: Pick<vscode.LogOutputChannel, 'error' | 'debug'>;
}

/** Shows errors with their actions, and writes details to the log. */
export class ErrorReporter {
  readonly #parts: ErrorReporterParts;

  constructor(parts: ErrorReporterParts) {
    this.#parts = parts;
  }

  /**
   * Logs an error and shows it; a cancellation is not an error. Returns when the message has been answered or
   * dismissed.
   * @param doing what failed, for the log: `run`, `list threads`.
   */
  async report(error: unknown, doing: string): Promise<void> {
    if (isCancellation(error)) return;
    this.log(error, doing);
    const { window, commands } = this.#parts;
    const actions = error instanceof ActionableError ? error.actions : [];
    const showLog: ErrorAction = { title: vscode.l10n.t('Show Log'), command: 'agentHarbor.showLog' };
    const all = [...actions, showLog];
    const chosen = await window.showErrorMessage(sentenceOf(error), ...all.map(({ title }) => title));
    const action = all.find(({ title }) => title === chosen);
    if (action !== undefined) await commands.executeCommand(action.command, ...(action.arguments ?? []));
  }

  /** Reports the errors of work that nobody waits for, such as the action of a message's button. */
  watch(work: PromiseLike<unknown>, doing: string): void {
    work.then(undefined, (error: unknown) => this.report(error, doing));
  }

  /** Logs an error with its causes, when it is shown elsewhere or not at all. */
  log(error: unknown, doing: string): void {
    if (isCancellation(error)) return;
    this.#parts.log.error(`${doing}: ${sentenceOf(error)}`);
    if (error instanceof Error && error.stack !== undefined) this.#parts.log.debug(withCauses(error));
  }

  /** Logs an error that the user need not know about, at the level that is hidden by default. */
  debug(error: unknown, doing: string): void {
    this.#parts.log.debug(`${doing}: ${error instanceof Error ? withCauses(error) : String(error)}`);
  }
}

/** An error's message as a sentence, with a period unless it already ends with a punctuation mark. */
export function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  return /[.!?…)]$/.test(message) ? message : `${message}.`;
}

/** Whether an error says that the user or a signal has canceled something. */
export function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Canceled' || error.name === 'AbortError');
}

function withCauses(error: Error): string {
  const { cause } = error;
  return cause instanceof Error
    ? `${error.stack}\nCaused by ${withCauses(cause)}`
    : (error.stack ?? error.message);
}
