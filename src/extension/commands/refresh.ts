import type { Command } from './command.ts';

/** Reads what the views show anew. */
export const refresh: Command = ({ trees }) => {
  for (const tree of Object.values(trees)) tree.refresh();
};
