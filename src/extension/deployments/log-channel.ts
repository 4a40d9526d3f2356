import type { LogOutputChannel } from 'vscode';

interface Line {
  readonly level?: string | undefined;
  readonly message: string;
}

/** Writes a line of a deployment's log as its level says. */
export function writeLogEntry(channel: LogOutputChannel, { level, message }: Line): void {
  switch (level) {
    case 'DEBUG':
      channel.debug(message);
      break;
    case 'WARNING':
      channel.warn(message);
      break;
    case 'ERROR':
    case 'CRITICAL':
      channel.error(message);
      break;
    default:
      channel.info(message);
  }
}
