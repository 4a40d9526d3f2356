import type { Command } from '../command.ts';
import { type CopyPointedParts, copyPointed } from './copy-pointed.ts';

/** Copies the error, or its stack, that the context menu of a panel was opened on. */
export const copyError: Command<CopyPointedParts> = copyPointed;
