import * as l10n from '@vscode/l10n';
import type { FeedbackByPerson } from '../../../extension/panels/feedback.ts';
import { parseJson } from '../json-input.ts';

/** What a person has typed into the form; all of it is text. */
export interface FeedbackDraft {
  readonly key: string;
  readonly score: string;
  readonly comment: string;
  /** `undefined` when none is wanted. */
  readonly correction: string | undefined;
}

export type FeedbackField = 'key' | 'score' | 'correction' | 'form';

/** The feedback that a draft amounts to, or what is wrong with which field. */
export function readFeedback(
  draft: FeedbackDraft,
):
  | { readonly feedback: Omit<FeedbackByPerson, 'run_id'> }
  | { readonly field: FeedbackField; readonly problem: string } {
  const key = draft.key.trim();
  const comment = draft.comment.trim();
  const score = draft.score.trim() === '' ? undefined : Number(draft.score.replace(',', '.'));
  if (key === '')
    return { field: 'key', problem: l10n.t('Name what the feedback is about, such as helpful.') };
  if (score !== undefined && !Number.isFinite(score))
    return { field: 'score', problem: l10n.t('The score must be a number, such as 1 or 0.5.') };
  const read = draft.correction === undefined ? undefined : readCorrection(draft.correction);
  if (read !== undefined && 'problem' in read) return { field: 'correction', problem: read.problem };
  if (score === undefined && comment === '' && read === undefined)
    return { field: 'form', problem: l10n.t('Give a score, a comment or a correction.') };
  return {
    feedback: {
      key,
      ...(score !== undefined && { score }),
      ...(comment !== '' && { comment }),
      ...(read !== undefined && { correction: read.value }),
    },
  };
}

/** Platforms take an object or a text as a correction, and nothing else. */
function readCorrection(
  text: string,
): { readonly value: Record<string, unknown> | string } | { readonly problem: string } {
  const read = parseJson(text);
  if ('problem' in read) return read;
  const { value } = read;
  if (typeof value === 'string') return { value };
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: { ...value } };
  return { problem: l10n.t('A correction is a JSON object, such as {"answer": "…"}, or a text in quotes.') };
}
