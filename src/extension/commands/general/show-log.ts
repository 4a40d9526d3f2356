import type { Command } from '../command.ts';

export const showLog: Command = ({ log }) => log.show();
