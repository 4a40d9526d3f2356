import { MoreElement } from '../views/more.ts';
import type { Command } from './command.ts';

/** Shows a further page of a group of rows. */
export const loadMore: Command = ({ trees }, given) => {
  if (!(given instanceof MoreElement)) return;
  given.load();
  for (const tree of Object.values(trees)) tree.refresh(given.parent.id);
};
