import type { Trees } from '../../views/live-refresh.ts';
import { MoreElement } from '../../views/more.ts';
import type { Command } from '../command.ts';

/** Shows another page of a group of rows. */
export const loadMore: Command<{ readonly trees: Trees }> = ({ trees }, argument) => {
  if (!(argument instanceof MoreElement)) return;
  argument.load();
  for (const tree of Object.values(trees)) tree.refresh(argument.parent?.id);
};
