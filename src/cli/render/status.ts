import type { Colors } from '../terminal/colors.ts';

/** Colors the status of a run, thread or purge job in a table. */
export function paintStatus(text: string, _row: unknown, colors: Colors): string {
  switch (text) {
    case 'error':
    case 'failed':
    case 'timeout':
      return colors.red(text);
    case 'interrupted':
    case 'pending':
      return colors.yellow(text);
    case 'busy':
    case 'running':
      return colors.cyan(text);
    case 'success':
    case 'verified':
      return colors.green(text);
    default:
      return text;
  }
}
