import type { Command } from './command.ts';
import { purge } from './purge.ts';

/** Purges from the title bar of the view, which hands over whatever row has the focus: the project is asked for. */
export const purgeAnywhere: Command = (parts) => purge(parts);
