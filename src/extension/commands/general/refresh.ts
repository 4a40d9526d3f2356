import type { Trees } from '../../views/live-refresh.ts';
import type { Command } from '../command.ts';

/** Reads the contents of the views again. */
export const refresh: Command<{ readonly trees: Trees }> = ({ trees }) => {
  for (const tree of Object.values(trees)) tree.refresh();
};
