import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'preact/hooks';
import type { SpanStatus } from '../../../extension/panels/trace/messages.ts';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../app.tsx';
import { type StackPlace, stackParts } from '../stack.ts';

/** More of an error is not looked through. */
const longest = 20_000;

interface ErrorCardProps {
  readonly error: string | undefined;
  readonly status: SpanStatus;
  readonly store: PanelProps['store'];
}

/** Why a span failed, with a stack that leads into the source; or that it waits for a person. */
export function ErrorCard({ error, status, store }: ErrorCardProps) {
  if (error === undefined || error === '') return null;
  if (status === 'interrupted') {
    return (
      <section class="card waiting" aria-label={l10n.t('Paused')}>
        <p class="title">
          <Icon name="debug-pause" /> {l10n.t('Paused')}
        </p>
        <p>{l10n.t('An interrupt ended this span, to wait for a person.')}</p>
        <details>
          <summary>{l10n.t('What it said')}</summary>
          <Stack text={error} store={store} />
        </details>
      </section>
    );
  }
  const { message, stack } = headAndStack(error);
  return (
    <section class="card failed" aria-label={l10n.t('Error')}>
      <p class="title">
        <Icon name="error" /> {l10n.t('Error')}
      </p>
      <p class="text">{message}</p>
      {stack !== '' && <Stack text={stack} store={store} />}
    </section>
  );
}

function Stack({ text, store }: { readonly text: string; readonly store: PanelProps['store'] }) {
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const parts = useMemo(() => stackParts(text.slice(0, longest)), [text]);
  const open = async (place: StackPlace) => {
    if (!(await store.did('openFrame', { ...place }))) setRefused(new Set([...refused, place.file]));
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long text has to be scrolled by keyboard
    <pre class="stack" tabIndex={0}>
      {parts.map(({ text: part, place }, index) =>
        place === undefined || refused.has(place.file) ? (
          part
        ) : (
          <button key={index} type="button" class="link" onClick={() => void open(place)}>
            {part}
          </button>
        ),
      )}
    </pre>
  );
}

/** What is for everybody, and what is for those who look for the place. */
function headAndStack(error: string): { readonly message: string; readonly stack: string } {
  const at = error.search(/\n\s*(?:at |Traceback \(most recent call last\))|\n\n/);
  if (at < 0) {
    const python = error.indexOf('Traceback (most recent call last)');
    if (python > 0) return { message: error.slice(0, python).trim(), stack: error.slice(python) };
    return { message: error.slice(0, longest), stack: '' };
  }
  return { message: error.slice(0, at).trim(), stack: error.slice(at).trim() };
}
