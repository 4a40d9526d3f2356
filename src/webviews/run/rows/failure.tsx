import { partsOfError } from '../../../terms/error-text.ts';
import './failure.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../../shared/copy-button.tsx';
import { cut } from '../../shared/cut.ts';
import { COST_CAP_REACHED, readableError } from '../../shared/error-message.ts';
import { ErrorTitle } from '../../shared/error-title.tsx';
import type { StackPlace } from '../../shared/stack.ts';
import { Stack } from '../../shared/stack-view.tsx';
import type { RowProps } from './row-props.ts';

/** The maximum number of characters of a message that are shown; the log has the rest. */
const MAX_LENGTH = 10_000;

/** Why a run failed, with the stack from its trace, whose lines link to the source. */
export function Failure({ row, store }: RowProps<'error'>) {
  const [stack, setStack] = useState('');
  const { runId } = row;
  const { title, message, issues } = readableError(row.name, row.message);
  const isCapped = row.name === COST_CAP_REACHED;
  useEffect(() => {
    let isShown = true;
    // The code at which a cap ended the run is not the cause.
    if (runId !== undefined && !isCapped)
      void store.quietly('errorStack', { run_id: runId }).then((text) => {
        if (isShown && text !== undefined) setStack(partsOfError(text).stack);
      });
    return () => {
      isShown = false;
    };
  }, [store, runId, isCapped]);
  const onOpen = (place: StackPlace) => store.did('openFrame', { ...place });
  return (
    <article class="card failed copyable" aria-label={l10n.t('Error')}>
      <CopyButton
        kind="error"
        text={() => [row.name, row.message].filter(Boolean).join(': ') + (stack && `\n${stack}`)}
        label={l10n.t('Copy Error')}
      />
      <ErrorTitle title={title} stack={stack} onOpen={onOpen} />
      {message !== '' && <p class="text">{cut(message, MAX_LENGTH)}</p>}
      {issues.length > 0 && (
        <ul class="issues">
          {issues.map(({ path, text }, index) => (
            <li key={index}>
              <code>{path === '' ? l10n.t('the value') : path}</code> {text}
            </li>
          ))}
        </ul>
      )}
      {stack !== '' && <Stack text={stack} onOpen={onOpen} />}
      <button
        type="button"
        class="link"
        onClick={() => void store.ask(isCapped ? 'changeCostCap' : 'showLog', {})}
      >
        {isCapped ? l10n.t('Change Cost Cap') : l10n.t('Show Log')}
      </button>
    </article>
  );
}
