import type { Trees } from '../../views/live-refresh.ts';
import type { Command } from '../command.ts';

/** Reads again what the views show. */
export const refresh: Command<{ readonly trees: Trees }> = ({ trees }) => {
  for (const tree of Object.values(trees)) tree.refresh();
};
