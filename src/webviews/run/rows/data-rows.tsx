import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { isDictionary } from '../../../terms/fields.ts';
import { Icon } from '../../shared/icon.tsx';
import { Json, preview } from '../../shared/json.tsx';
import { plainName } from '../../shared/plain-name.ts';
import type { RowProps } from './row-props.ts';

/** A node's update of the state, on one line. */
export function Step({ row, store }: RowProps<'step'>) {
  return (
    <Line
      icon="circle-small-filled"
      name={row.node}
      summary={isDictionary(row.update) ? Object.keys(row.update).join(', ') : ''}
      value={row.update}
      store={store}
      title={l10n.t('{0} update', row.node)}
    />
  );
}

export function CustomEvent({ row, store }: RowProps<'custom'>) {
  const { value } = row;
  // Many graphs name the kind of an event in `type`.
  const type = isDictionary(value) && typeof value.type === 'string' ? value.type : undefined;
  const { type: _, ...rest } = isDictionary(value) ? value : {};
  return (
    <Line
      icon="broadcast"
      name={type ?? l10n.t('custom')}
      summary={preview(type === undefined ? value : rest)}
      value={value}
      store={store}
      title={l10n.t('{0} event', type ?? 'custom')}
    />
  );
}

/** An event of an additional stream mode. */
export function OtherEvent({ row, store }: RowProps<'event'>) {
  return (
    <Line
      icon="symbol-event"
      name={row.mode}
      summary={preview(row.value)}
      value={row.value}
      store={store}
      title={l10n.t('{0} event', row.mode)}
    />
  );
}

/** The input of a run that is not a message, or the answer to an interrupt. */
export function Input({ row, store }: RowProps<'input'>) {
  const name = row.label === 'answer' ? l10n.t('Your answer') : l10n.t('Input');
  return (
    <Line
      icon="arrow-right"
      name={name}
      summary={preview(row.value)}
      value={row.value}
      store={store}
      title={name}
    />
  );
}

export function State({ row, store }: RowProps<'state'>) {
  const onOpen = () => void store.ask('openJson', { title: l10n.t('State'), value: row.values });
  return (
    <article class="card" aria-label={l10n.t('State')}>
      <p class="title">
        <Icon name="json" /> {l10n.t('State')}
      </p>
      <Json value={row.values} onOpen={onOpen} />
    </article>
  );
}

interface LineProps {
  readonly icon: string;
  readonly name: string;
  readonly summary: string;
  readonly value: unknown;
  readonly title: string;
  readonly store: RowProps['store'];
}

/** A row of one line that expands to the whole value. */
function Line({ icon, name, summary, value, title, store }: LineProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="line" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name={icon} />
        <span class="name">{plainName(name)}</span>
        <span class="preview">{summary}</span>
      </summary>
      {isOpen && <Json value={value} onOpen={() => void store.ask('openJson', { title, value })} />}
    </details>
  );
}
