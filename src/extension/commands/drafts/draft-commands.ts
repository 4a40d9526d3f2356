import { compareDraft } from './compare-draft.ts';
import { discardDraft } from './discard-draft.ts';

/** Commands about drafts of documents. */
export const draftCommands = {
  compareDraft,
  discardDraft,
};
