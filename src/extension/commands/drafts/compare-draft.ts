import type { Command } from '../command.ts';
import { type DraftParts, draftOf } from './draft-of.ts';

/** Compares a draft, or the active one, with what the server has. */
export const compareDraft: Command<DraftParts> = async (parts, given) => {
  const { documents, uri } = draftOf(parts, given);
  if (uri !== undefined) await documents?.compareDraft(uri);
};
