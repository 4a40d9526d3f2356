import type { Command } from '../command.ts';
import { type CopyPointedParts, copyPointed } from './copy-pointed.ts';

/** Copies as JSON the value that the context menu of a panel was opened on. */
export const copyJson: Command<CopyPointedParts> = copyPointed;
