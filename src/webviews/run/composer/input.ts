import * as l10n from '@vscode/l10n';
import type { RunPanelState, Session } from '../../../extension/panels/run/messages.ts';
import type { Attachment } from '../../shared/attachment.ts';
import { type Draft, draftOf } from '../../shared/form/draft.ts';
import type { Form } from '../../shared/form/field.ts';
import { type Problems, readForm } from '../../shared/form/read-form.ts';
import { parseJson } from '../../shared/json-input.ts';

/** The mode of the input: a message, a form, or JSON. */
export type Mode = 'chat' | 'form' | 'json';

/** The input that is being typed. */
export interface Typed {
  readonly mode: Mode;
  /** The message, or the JSON. */
  readonly text: string;
  /** Files that are sent with a message. */
  readonly files: readonly Attachment[];
  readonly form: Form | undefined;
  readonly draft: Draft;
}

/** The modes that a graph offers, the preferred one first. */
export function modesOf(session: Session, form: Form | undefined): readonly Mode[] {
  return [
    ...(session.input === 'chat' ? (['chat'] as const) : []),
    ...(form === undefined ? [] : (['form'] as const)),
    'json',
  ];
}

/** The mode until the user chooses one. Saved text for a graph without messages is JSON. */
export function firstMode(session: Session, form: Form | undefined, saved: RunPanelState): Mode {
  if (session.input === 'chat') return 'chat';
  return form === undefined || saved.draft !== '' ? 'json' : 'form';
}

/** Converts the input to another mode, as far as possible. @returns the changes to save */
export function carryOver({ mode: from, text, form, draft }: Typed, to: Mode): Partial<RunPanelState> {
  if (to === 'chat' || form === undefined) return { draft: '' };
  if (to === 'form') {
    const read = from === 'json' ? parseJson(text) : undefined;
    return { draft: '', ...(read !== undefined && 'value' in read && { form: draftOf(form, read.value) }) };
  }
  const read = from === 'form' ? readForm(form, draft) : undefined;
  return { draft: read !== undefined && 'value' in read ? JSON.stringify(read.value, undefined, 2) : '' };
}

/** Why an input cannot be sent. */
export interface InputProblem {
  /** A sentence for the whole input. */
  readonly problem: string;
  /** The problems of the form's fields. */
  readonly fields?: Problems;
}

/** Reads the input of the next run. */
export function readInput({
  mode,
  text,
  files,
  form,
  draft,
}: Typed): { readonly value: unknown } | InputProblem {
  if (mode === 'json') return parseJson(text);
  if (mode === 'form' && form !== undefined) {
    const filled = readForm(form, draft);
    if ('value' in filled) return filled;
    const count = Object.keys(filled.problems).length;
    const places = l10n.t('Fix the {0} highlighted fields.', count);
    const problem = count === 1 ? l10n.t('Fix the highlighted field.') : places;
    return { problem, fields: filled.problems };
  }
  const words = text.trim();
  if (words === '' && files.length === 0) return { problem: l10n.t('Enter a message.') };
  const blocks = [
    ...(words === '' ? [] : [{ type: 'text', text: words }]),
    ...files.map(({ block }) => block),
  ];
  return { value: { messages: [{ type: 'human', content: files.length === 0 ? words : blocks }] } };
}
