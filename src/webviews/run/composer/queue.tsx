import './queue.css';
import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { QueuedRun } from '../../../extension/panels/run/journal-entry.ts';
import type { PanelProps } from '../panel-props.ts';
import { textOfInput, withText } from './queued-input.ts';
import { QueuedRow } from './queued-row.tsx';

interface Editing {
  readonly run: QueuedRun;
  readonly text: string;
}

/** The queued messages, the next one first. They can be edited, moved, removed, and sent at once. */
export function Queue({ store, view }: PanelProps) {
  const { queue } = view.transcript;
  const [editing, setEditing] = useState<Editing | undefined>(undefined);
  /** The position of the row to focus after the queue has changed. */
  const focusAt = useRef<number | undefined>(undefined);
  const list = useRef<HTMLOListElement>(null);
  // In a layout effect, so that the row has the focus again before the next key press.
  useLayoutEffect(() => {
    const at = focusAt.current;
    if (at === undefined) return;
    focusAt.current = undefined;
    const rows = list.current?.querySelectorAll<HTMLElement>('li > .queued');
    (
      rows?.[Math.min(at, rows.length - 1)] ?? document.querySelector<HTMLElement>('.composer textarea')
    )?.focus();
  }, [queue]);
  const isGone = editing !== undefined && !queue.some(({ run_id }) => run_id === editing.run.run_id);
  if (queue.length === 0 && !isGone) return null;

  /**
   * Changes the queue, and then focuses the row at a position.
   * @param request returns whether it succeeded
   * @returns whether the request succeeded
   */
  const change = async (at: number, request: () => Promise<boolean>): Promise<boolean> => {
    focusAt.current = at;
    const isDone = await request();
    // If the request failed, the queue stays as it is, and a later change is not the user's.
    if (!isDone) focusAt.current = undefined;
    return isDone;
  };
  const urgency = view.saved.options.multitask_strategy === 'rollback' ? 'rollback' : 'interrupt';
  const save = async (): Promise<void> => {
    if (editing === undefined) return;
    const { run, text } = editing;
    const input = withText(run.input, text);
    if ('problem' in input) return store.report(input.problem);
    const at = queue.findIndex(({ run_id }) => run_id === run.run_id);
    const isSaved = await change(Math.max(0, at), () =>
      isGone
        ? store.run({ input: input.value })
        : store.did('editQueued', { run_id: run.run_id, input: input.value }),
    );
    if (isSaved) setEditing(undefined);
  };
  const editor = editing && (
    <Editor
      text={editing.text}
      isGone={isGone}
      onInput={(text) => setEditing({ ...editing, text })}
      onSave={() => void save()}
      onCancel={() => setEditing(undefined)}
    />
  );
  return (
    <section class="queue" aria-label={l10n.t('Queued messages')}>
      {isGone && editor}
      <ol ref={list}>
        {queue.map((run, at) =>
          run.run_id === editing?.run.run_id ? (
            <li key={run.run_id}>{editor}</li>
          ) : (
            <li key={run.run_id}>
              <QueuedRow
                run={run}
                isFirst={at === 0}
                isLast={at === queue.length - 1}
                onEdit={() => setEditing({ run, text: textOfInput(run.input) })}
                onMove={(by) => change(at + by, () => store.did('moveQueued', { run_id: run.run_id, by }))}
                onRemove={() => change(at, () => store.did('removeQueued', { run_id: run.run_id }))}
                onSend={() => change(0, () => store.did('sendQueued', { run_id: run.run_id, urgency }))}
              />
            </li>
          ),
        )}
      </ol>
    </section>
  );
}

interface EditorProps {
  readonly text: string;
  /** Whether the message was sent or removed in the meantime. */
  readonly isGone: boolean;
  readonly onInput: (text: string) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

function Editor({ text, isGone, onInput, onSave, onCancel }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <div class="queued editing">
      {isGone && <p class="muted">{l10n.t('This message was sent or removed while you edited it.')}</p>}
      <textarea
        ref={field}
        rows={2}
        value={text}
        aria-label={l10n.t('Queued message')}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onSave();
        }}
      />
      <div class="buttons">
        <vscode-button type="button" onClick={onSave}>
          {isGone ? l10n.t('Send as New Message') : l10n.t('Save')}
        </vscode-button>
        <vscode-button type="button" secondary onClick={onCancel}>
          {l10n.t('Cancel')}
        </vscode-button>
      </div>
    </div>
  );
}
