import type { LogOutputChannel } from 'vscode';
import type { Command } from '../command.ts';

export const showLog: Command<{ readonly log: LogOutputChannel }> = ({ log }) => log.show();
