import { copyPointed } from '../panels/copy-pointed.ts';
import type { Command } from './command.ts';

/** Copies the error, or its stack, that the context menu of a panel was opened on. */
export const copyError: Command = copyPointed;
