import { useMemo, useState } from 'preact/hooks';
import { emptyDraft, restoreDraft } from '../../shared/form/draft.ts';
import { formOf } from '../../shared/form/field.ts';
import type { PanelProps } from '../panel-props.ts';
import {
  carryOver,
  firstMode,
  type InputProblem,
  type Mode,
  modesOf,
  readInput,
  type Typed,
} from './input.ts';

/**
 * The state of the composer: the input that is being typed, its problem, and functions that change and submit it.
 * @returns undefined while there is no session
 */
export function useComposing(store: PanelProps['store'], view: PanelProps['view']) {
  const { session, transcript, saved } = view;
  const [wrong, setWrong] = useState<InputProblem | undefined>(undefined);
  const [isStarting, setStarting] = useState(false);
  // A form collapses when it is submitted, to make room for the output.
  const [isFolded, setFolded] = useState(transcript.rows.length > 0);
  const form = useMemo(() => formOf(session?.schema), [session?.schema]);
  if (session === undefined) return undefined;

  const modes = modesOf(session, form);
  const mode =
    saved.mode !== undefined && modes.includes(saved.mode) ? saved.mode : firstMode(session, form, saved);
  const isRunning = transcript.status === 'running';
  const text = saved.draft === '' && mode === 'json' ? session.template : saved.draft;
  const draft = form && (saved.form === undefined ? emptyDraft(form) : restoreDraft(saved.form));
  const typed: Typed = { mode, text, files: view.attached, form, draft };

  const start = async (): Promise<void> => {
    if (isStarting) return;
    const input = readInput(typed);
    if ('problem' in input) {
      setWrong(input);
      if (input.fields !== undefined) setFolded(false);
      return;
    }
    setStarting(true);
    const isStarted = await store.run({ input: input.value });
    setStarting(false);
    setFolded(isStarted);
    // Only a message is cleared, because a form and JSON are often sent again with a small change.
    if (isStarted && mode === 'chat') {
      // The user may have begun the next message while this one was being sent.
      if (store.view.saved.draft === typed.text) store.save({ draft: '' });
      store.detach(typed.files);
    }
  };
  const submit = () => void start();

  const change = (saving: Parameters<typeof store.save>[0]): void => {
    store.save(saving);
    setWrong(undefined);
  };

  const switchTo = (next: Mode): void => {
    setFolded(false);
    change({ mode: next, ...carryOver(typed, next) });
  };
  const unfold = () => setFolded(false);

  return { typed, modes, isRunning, wrong, isFolded, submit, change, switchTo, unfold };
}
