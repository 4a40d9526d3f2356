import type { Command } from '../command.ts';
import { type CopyPointedParts, copyPointed } from './copy-pointed.ts';

/** Copies the block of code that the context menu of a panel was opened on. */
export const copyCode: Command<CopyPointedParts> = copyPointed;
