import { copyPointed } from '../panels/copy-pointed.ts';
import type { Command } from './command.ts';

/** Copies the value, as JSON, that the context menu of a panel was opened on. */
export const copyJson: Command = copyPointed;
