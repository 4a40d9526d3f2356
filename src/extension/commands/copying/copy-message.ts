import type { Command } from '../command.ts';
import { type CopyPointedParts, copyPointed } from './copy-pointed.ts';

/** Copies the message that the context menu of a panel was opened on. */
export const copyMessage: Command<CopyPointedParts> = copyPointed;
