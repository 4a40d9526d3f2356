import './error-card.css';
import * as l10n from '@vscode/l10n';
import type { SpanStatus } from '../../../extension/panels/trace/messages.ts';
import { partsOfError } from '../../../terms/error-text.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import { cut } from '../../shared/cut.ts';
import { ErrorTitle } from '../../shared/error-title.tsx';
import { Icon } from '../../shared/icon.tsx';
import { MAX_ERROR_LENGTH, type StackPlace } from '../../shared/stack.ts';
import { Stack } from '../../shared/stack-view.tsx';
import type { PanelProps } from '../panel-props.ts';

interface ErrorCardProps {
  readonly error: string | undefined;
  readonly status: SpanStatus;
  readonly store: PanelProps['store'];
}

/** Says why a span failed, with a stack that links to the source; or that it waits for input, or was canceled. */
export function ErrorCard({ error, status, store }: ErrorCardProps) {
  if (error === undefined || error === '') return null;
  const onOpen = (place: StackPlace) => store.did('openFrame', { ...place });
  const details = (
    <details>
      <summary>{l10n.t('Details')}</summary>
      <Stack text={error} onOpen={onOpen} />
    </details>
  );
  if (status === 'interrupted') {
    return (
      <section class="card waiting" aria-label={l10n.t('Waiting for input')}>
        <p class="title">
          <Icon name="debug-pause" /> {l10n.t('Waiting for input')}
        </p>
        <p>{l10n.t('This span is paused and waiting for input.')}</p>
        {details}
      </section>
    );
  }
  if (status === 'cancelled') {
    return (
      <section class="card" aria-label={l10n.t('Canceled')}>
        <p class="title">
          <Icon name="circle-slash" /> {l10n.t('Canceled')}
        </p>
        {details}
      </section>
    );
  }
  const { message, stack } = partsOfError(error);
  return (
    <section class="card failed copyable" aria-label={l10n.t('Error')}>
      <CopyButton kind="error" text={() => error} label={l10n.t('Copy Error')} />
      <ErrorTitle title={l10n.t('Error')} stack={error} onOpen={onOpen} />
      <p class="text">{cut(message, MAX_ERROR_LENGTH)}</p>
      {stack !== '' && <Stack text={stack} onOpen={onOpen} />}
    </section>
  );
}
