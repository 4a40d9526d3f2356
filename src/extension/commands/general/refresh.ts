import type { Command } from '../command.ts';

/** Reads again what the views show. */
export const refresh: Command = ({ trees }) => {
  for (const tree of Object.values(trees)) tree.refresh();
};
