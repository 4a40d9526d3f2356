import * as vscode from 'vscode';
import { logLine } from './log-line.ts';

interface Entry {
  /** Milliseconds since 1970, or ISO 8601. */
  readonly timestamp: number | string;
  readonly level?: string | undefined;
  readonly message: string;
}

/**
 * An output channel for the log of a server. Lines keep the times of the server; VS Code's own log channels
 * would give them the time at which they are shown.
 */
export class LogChannel implements vscode.Disposable {
  readonly #channel: vscode.OutputChannel;

  constructor(title: string) {
    this.#channel = vscode.window.createOutputChannel(title, 'log');
  }

  /** @param keepsFocus whether the focus stays where it is */
  show(keepsFocus = false): void {
    this.#channel.show(keepsFocus);
  }

  /** Closes the Output panel if it shows this channel. */
  hide(): void {
    this.#channel.hide();
  }

  clear(): void {
    this.#channel.clear();
  }

  write({ timestamp, level, message }: Entry): void {
    this.#channel.appendLine(logLine(timestamp, level, message));
  }

  /** Writes a line of the extension, with the current time. */
  say(message: string, level: 'INFO' | 'WARNING' | 'ERROR' = 'INFO'): void {
    this.#channel.appendLine(logLine(Date.now(), level, message));
  }

  dispose(): void {
    this.#channel.dispose();
  }
}
