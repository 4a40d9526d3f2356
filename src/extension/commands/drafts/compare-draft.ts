import type { Command } from '../command.ts';
import { type DraftParts, draftOf } from './draft-of.ts';

/** Compares the given draft, or the one in the active editor, with the server's version. */
export const compareDraft: Command<DraftParts> = async (parts, given) => {
  const { documents, uri } = draftOf(parts, given);
  if (uri !== undefined) await documents?.compareDraft(uri);
};
