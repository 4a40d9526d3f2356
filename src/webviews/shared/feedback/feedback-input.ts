import * as l10n from '@vscode/l10n';
import type { FeedbackByPerson, GivenFeedback } from '../../../extension/panels/feedback.ts';
import { parseJson } from '../json-input.ts';

/** The maximum length of a feedback key that platforms accept. */
export const MAX_KEY_LENGTH = 180;

/** The text typed into the fields of the form. */
export interface FeedbackDraft {
  readonly key: string;
  readonly score: string;
  readonly comment: string;
  /** JSON; `undefined` without a correction. */
  readonly correction: string | undefined;
}

/** Why feedback cannot be sent, as a sentence, and the field to correct. */
export interface FeedbackProblem {
  readonly field: 'key' | 'score' | 'correction' | 'form';
  readonly problem: string;
}

/** The feedback in a form, to which the sender adds the run. */
export type FeedbackInput = Omit<FeedbackByPerson, 'run_id'>;

/** The draft for editing earlier feedback, or an empty draft if there is none. */
export function feedbackDraft(key: string, given: GivenFeedback | undefined): FeedbackDraft {
  const { score, comment = '', correction } = given ?? {};
  return {
    key,
    score: score === undefined ? '' : String(Number(score)),
    comment,
    correction: correction === undefined ? undefined : JSON.stringify(correction, undefined, 2),
  };
}

/** The user's own feedback under a key, of which there is at most one. */
export function ownFeedback(feedback: readonly GivenFeedback[], key: string): GivenFeedback | undefined {
  return feedback.findLast((given) => given.isOwn === true && given.key === key);
}

/** The draft with another key. Fields that the user has not edited show the user's earlier feedback under that key. */
export function withKey(
  draft: FeedbackDraft,
  key: string,
  feedback: readonly GivenFeedback[],
): FeedbackDraft {
  const before = feedbackDraft(draft.key, ownFeedback(feedback, draft.key.trim()));
  const given = feedbackDraft(key, ownFeedback(feedback, key.trim()));
  return {
    key,
    score: draft.score === before.score ? given.score : draft.score,
    comment: draft.comment === before.comment ? given.comment : draft.comment,
    correction: draft.correction === before.correction ? given.correction : draft.correction,
  };
}

/**
 * The feedback in a draft, or the problem of a field.
 * @param output a correction equal to it is left out
 */
export function readFeedback(
  draft: FeedbackDraft,
  output: unknown,
): { readonly feedback: FeedbackInput } | FeedbackProblem {
  const key = draft.key.trim();
  const comment = draft.comment.trim();
  const score = draft.score.trim() === '' ? undefined : Number(draft.score.replace(',', '.'));
  if (key === '') return { field: 'key', problem: l10n.t('Enter a feedback key, for example “helpful”.') };
  if (score !== undefined && !Number.isFinite(score))
    return { field: 'score', problem: l10n.t('The score must be a number, such as 1 or 0.5.') };
  const isWritten = draft.correction !== undefined && draft.correction.trim() !== '';
  const read = isWritten ? readCorrection(draft.correction) : undefined;
  if (read !== undefined && 'problem' in read) return { field: 'correction', problem: read.problem };
  const isSame = read !== undefined && JSON.stringify(read.value) === JSON.stringify(correctable(output));
  const correction = isSame ? undefined : read?.value;
  if (score === undefined && comment === '' && correction === undefined)
    return { field: 'form', problem: l10n.t('Enter a score, comment, or correction.') };
  return {
    feedback: {
      key,
      ...(score !== undefined && { score }),
      ...(comment !== '' && { comment }),
      ...(correction !== undefined && { correction }),
    },
  };
}

/** The maximum length of an output that is offered for correction. */
const MAX_OUTPUT_LENGTH = 20_000;

/** An output as the initial value of a correction; a placeholder for one that is empty or too long. */
export function correctable(output: unknown): unknown {
  const isEmpty = output === undefined || output === null;
  const isLong = !isEmpty && (JSON.stringify(output)?.length ?? 0) > MAX_OUTPUT_LENGTH;
  return isEmpty || isLong ? { output: '' } : typeof output === 'object' ? output : { output };
}

function readCorrection(
  text: string,
): { readonly value: Record<string, unknown> | string } | { readonly problem: string } {
  const read = parseJson(text);
  if ('problem' in read) return read;
  const { value } = read;
  if (isCorrection(value)) return { value };
  return { problem: l10n.t('Enter a JSON object, such as {"answer": "…"}, or a string in quotes.') };
}

/**
 * The change that pressing a thumb makes: its score is given, or withdrawn if it was given before.
 * @returns the feedback to give, or the ID of the feedback to delete
 */
export function thumbPressed(
  key: string,
  score: 0 | 1,
  own: GivenFeedback | undefined,
): { readonly give: FeedbackInput } | { readonly takeBack: string } {
  if (own === undefined || own.isFixed === true) return { give: { key, score } };
  const { comment, correction } = own;
  const isPressed = own.score !== undefined && Number(own.score) === score;
  if (isPressed && comment === undefined && correction === undefined) return { takeBack: own.id };
  return {
    give: {
      key,
      replaces: own.id,
      ...(!isPressed && { score }),
      ...(comment !== undefined && { comment }),
      ...(isCorrection(correction) && { correction }),
    },
  };
}

/** Platforms accept only objects and strings as corrections. */
function isCorrection(value: unknown): value is Record<string, unknown> | string {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}
