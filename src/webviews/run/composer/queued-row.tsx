import * as l10n from '@vscode/l10n';
import type { QueuedRun } from '../../../extension/panels/run/journal-entry.ts';
import { Action } from '../../shared/action.tsx';
import { Icon } from '../../shared/icon.tsx';
import { preview } from '../../shared/json.tsx';
import { textOfInput } from './queued-input.ts';

interface QueuedRowProps {
  readonly run: QueuedRun;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onEdit: () => void;
  readonly onMove: (by: -1 | 1) => unknown;
  readonly onRemove: () => unknown;
  readonly onSend: () => unknown;
}

/** A queued message, with buttons for its actions; the row has the focus for their keys. */
export function QueuedRow({ run, isFirst, isLast, onEdit, onMove, onRemove, onSend }: QueuedRowProps) {
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
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
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
