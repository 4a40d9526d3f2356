import './value-view.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import type { ValueHistory, ValueStep } from '../../../extension/panels/run/value-step.ts';
import { Action } from '../../shared/action.tsx';
import { cut } from '../../shared/cut.ts';
import type { PanelProps } from '../panel-props.ts';

interface ValueViewProps extends PanelProps {
  readonly name: string;
}

/**
 * How the value of a key in the state changed: at which step, by which node, and whether it was replaced or
 * combined by a reducer.
 */
export function ValueView({ store, view, name }: ValueViewProps) {
  const { threadId, runId, checkpointId, resets, status } = view.transcript;
  const [read, setRead] = useState<{ readonly name: string; readonly history: ValueHistory }>();
  useEffect(() => {
    let isCurrent = true;
    if (status !== 'running')
      void store.ask('valueHistory', { key: name }).then((history) => {
        if (isCurrent && history !== undefined) setRead({ name, history });
      });
    return () => {
      isCurrent = false;
    };
  }, [store, name, threadId, runId, checkpointId, resets, status]);
  if (read?.name !== name) return <p class="muted pad">{l10n.t('Loading history…')}</p>;
  if (read.history.steps.length === 0)
    return <p class="muted pad">{l10n.t('No step has written {0}.', name)}</p>;
  return (
    <ol class="values" aria-label={l10n.t('Values of {0}, newest first', name)}>
      {read.history.steps.map((step) => (
        <ValueRow key={step.checkpoint_id} step={step} name={name} store={store} />
      ))}
    </ol>
  );
}

interface ValueRowProps extends Pick<PanelProps, 'store'> {
  readonly step: ValueStep;
  readonly name: string;
}

function ValueRow({ step, name, store }: ValueRowProps) {
  const { value, before, checkpoint_id } = step;
  const title = l10n.t('{0}: before and after step {1}', name, step.step);
  return (
    <li class="value">
      <div class="value-head">
        <button
          type="button"
          class="value-name"
          title={l10n.t('View Thread at This Step')}
          onClick={() => void store.ask('checkout', { checkpoint_id })}
        >
          <span class="name">{writerOf(step)}</span>
          <span class="muted">
            {[step.step < 0 ? '' : l10n.t('step {0}', step.step), howText(step), sizeText(step)]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </button>
        {before !== undefined && (
          <Action
            icon="diff"
            label={l10n.t('Compare Value Before and After Step {0}', step.step)}
            onClick={() => store.ask('compareValues', { title, before, after: value })}
          />
        )}
        {value !== undefined && (
          <Action
            icon="json"
            label={l10n.t('Open Value After Step {0}', step.step)}
            onClick={() => store.ask('openJson', { title: name, value })}
          />
        )}
      </div>
      <Preview step={step} />
    </li>
  );
}

/**
 * The maximum number of characters of a value that are shown; the whole value can be opened in an editor.
 */
const MAX_PREVIEW = 400;

/** The beginning of the values that a step wrote; of the whole value, if the step replaced it. */
function Preview({ step: { value, written } }: Pick<ValueRowProps, 'step'>) {
  if (value === undefined) return <p class="preview muted">{l10n.t('removed')}</p>;
  const parts = written ?? [value];
  const text = parts.map((part) => JSON.stringify(part) ?? '').join('\n');
  return (
    <p class="preview">
      {written !== undefined && <span class="muted">{l10n.t('wrote')} </span>}
      {cut(text, MAX_PREVIEW)}
    </p>
  );
}

function writerOf({ nodes, source }: ValueStep): string {
  if (nodes.length > 0) return nodes.join(', ');
  return {
    input: l10n.t('Input'),
    update: l10n.t('Edited'),
    fork: l10n.t('Fork'),
    loop: l10n.t('Input'),
  }[source];
}

function sizeText({ value, written }: ValueStep): string {
  return written !== undefined && Array.isArray(value) ? l10n.t('{0} items', value.length) : '';
}

function howText({ how, reducer = '' }: ValueStep): string {
  if (how === 'replaced') return l10n.t('replaced');
  if (how === 'unknown') return '';
  return reducer === '' ? l10n.t('combined by a reducer') : l10n.t('combined by {0}', reducer);
}
