import './queue.css';
import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { QueuedRun } from '../../../extension/panels/run/journal-entry.ts';
import { Action } from '../../shared/action.tsx';
import { Icon } from '../../shared/icon.tsx';
import { preview } from '../../shared/json.tsx';
import type { PanelProps } from '../panel-props.ts';
import { textOfInput, withText } from './queued-input.ts';

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

  /** Changes the queue, and then focuses a row. @param request returns whether it succeeded */
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
    const isSaved = await change(Math.max(0, queue.indexOf(run)), () =>
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
              <Row
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

interface RowProps {
  readonly run: QueuedRun;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onEdit: () => void;
  readonly onMove: (by: -1 | 1) => unknown;
  readonly onRemove: () => unknown;
  readonly onSend: () => unknown;
}

function Row({ run, isFirst, isLast, onEdit, onMove, onRemove, onSend }: RowProps) {
  const text = preview(textOfInput(run.input));
  const actions: Readonly<Record<string, (() => unknown) | undefined>> = {
    Enter: onEdit,
    'Ctrl+Enter': onSend,
    Delete: onRemove,
    Backspace: onRemove,
    'Alt+ArrowUp': isFirst ? undefined : () => onMove(-1),
    'Alt+ArrowDown': isLast ? undefined : () => onMove(1),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = event.target === event.currentTarget ? actions[keysOf(event)] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms with more than this
    <div
      class="queued"
      role="group"
      aria-label={l10n.t('Queued: {0}', text)}
      title={l10n.t('Enter to edit, Alt+↑ and Alt+↓ to move, Delete to remove, Ctrl+Enter to send now')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys do the same as its buttons
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <Icon name="clock" />
      <span class="text">{text}</span>
      <Action icon="edit" label={l10n.t('Edit')} onClick={onEdit} />
      {!isFirst && <Action icon="arrow-up" label={l10n.t('Move Up')} onClick={() => onMove(-1)} />}
      {!isLast && <Action icon="arrow-down" label={l10n.t('Move Down')} onClick={() => onMove(1)} />}
      <Action icon="close" label={l10n.t('Remove')} onClick={onRemove} />
      <Action icon="send" label={l10n.t('Send Now')} onClick={onSend} />
    </div>
  );
}

/** The pressed keys as text, such as `Alt+ArrowUp`. */
function keysOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${key}`;
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
