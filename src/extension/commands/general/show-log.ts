import type { LogOutputChannel } from 'vscode';
import type { Command } from '../command.ts';

/** Shows the log of the extension. */
export const showLog: Command<{ readonly log: LogOutputChannel }> = ({ log }) => log.show();
