import { type DraftParts, draftOf } from './draft-of.ts';

/** Compares a draft, or the active one, with what the server has. */
export async function compareDraft(parts: DraftParts, given: unknown): Promise<void> {
  const { documents, uri } = draftOf(parts, given);
  if (uri !== undefined) await documents?.compareDraft(uri);
}
