import type { Command } from '../command.ts';
import type { ShowActionsParts } from './choose-action.ts';

/** Shows the actions of the status bar item. */
export const showActions: Command<ShowActionsParts> = async (parts) => {
  const { chooseAction } = await import('./choose-action.ts');
  await chooseAction(parts);
};
