import type { Context } from '../terminal/context.ts';
import { details } from './details.ts';

/** Prints a resource: its fields as lines, or with `--json` as one line of JSON. */
export function showResource({ terminal }: Context, { json }: { json?: true }, resource: object): void {
  if (json) terminal.json(resource);
  else for (const line of details({ ...resource }, terminal.colors)) terminal.line(line);
}
