import * as l10n from '@vscode/l10n';
import { isDictionary } from '../../terms/fields.ts';
import { type Draft, draftOf, restoreDraft } from '../shared/form/draft.ts';
import { type Form, formOf } from '../shared/form/field.ts';
import { type Problems, readForm } from '../shared/form/read-form.ts';
import type { PanelView } from './panel-view.ts';

/** The form for the graph's context; `undefined` if its schema has no form. */
export function contextForm({ session }: PanelView): Form | undefined {
  return formOf(session?.context_schema);
}

/** Reads the context of the next run from the form; `undefined` means the assistant's context. */
export function readContext(
  view: PanelView,
): { readonly value: Record<string, unknown> | undefined } | { readonly problems: Problems } {
  const form = contextForm(view);
  if (form === undefined || view.saved.context === undefined) return { value: undefined };
  const read = readForm(form, contextDraft(view, form));
  if ('problems' in read) return read;
  return { value: isDictionary(read.value) ? read.value : {} };
}

/** The draft of the form: what the user has filled in, or else the context of the assistant. */
export function contextDraft({ saved, session }: PanelView, form: Form): Draft {
  return saved.context === undefined ? draftOf(form, session?.context ?? {}) : restoreDraft(saved.context);
}

/** The first problem of a form in a sentence, with the name of its field. */
export function firstProblem(problems: Problems): string | undefined {
  const [problem] = Object.entries(problems).map(([field, reason]) =>
    field === '' ? reason : l10n.t('{0}: {1}', field, reason),
  );
  return problem;
}
