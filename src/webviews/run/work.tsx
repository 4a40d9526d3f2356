import './work.css';
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { toBase64 } from '../shared/base64.ts';
import { Icon } from '../shared/icon.tsx';
import { plainName } from '../shared/plain-name.ts';
import type { PanelProps } from './panel-props.ts';
import { type Todo, todoProgress } from './working-state.ts';

/** The current to-dos and files of a deep agent. */
export function Work({ store, view }: PanelProps) {
  const { todos, files } = view.transcript.work;
  const [isOpen, setOpen] = useState(false);
  const entries = Object.entries(files);
  if (todos.length === 0 && entries.length === 0) return null;
  const { done, current } = todoProgress(todos);
  return (
    <details class="work" open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        <Icon name="checklist" />
        <span class="name">
          {[
            todos.length > 0 ? l10n.t('{0} of {1} done', done, todos.length) : '',
            entries.length > 0 ? countFiles(entries.length) : '',
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {current !== undefined && <span class="preview">{current.content}</span>}
      </summary>
      {isOpen && (
        <div class="lists">
          {todos.length > 0 && (
            <ul aria-label={l10n.t('To-dos')}>
              {todos.map((todo, at) => (
                <li key={at} class={todo.status}>
                  <Icon name={iconOf(todo)} />
                  <span class="for-screen-readers">{wordOf(todo)}</span>
                  <span>{todo.content}</span>
                </li>
              ))}
            </ul>
          )}
          {entries.length > 0 && (
            <ul aria-label={l10n.t('Files')}>
              {entries.map(([path, text]) => (
                <li key={path}>
                  <Icon name="file" />
                  <button
                    type="button"
                    class="link"
                    title={l10n.t('Open File')}
                    onClick={() => void store.ask('openFile', fileOf(path, text))}
                  >
                    {plainName(path)}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </details>
  );
}

function countFiles(count: number): string {
  return count === 1 ? l10n.t('1 file') : l10n.t('{0} files', count);
}

function iconOf({ status }: Todo): string {
  return { pending: 'circle-large-outline', in_progress: 'circle-large-filled', completed: 'check' }[status];
}

function wordOf({ status }: Todo): string {
  return {
    pending: l10n.t('Pending'),
    in_progress: l10n.t('In progress'),
    completed: l10n.t('Done'),
  }[status];
}

function fileOf(path: string, text: string) {
  return { name: path.split('/').at(-1) ?? path, mime: 'text/plain', data: toBase64(text) };
}
