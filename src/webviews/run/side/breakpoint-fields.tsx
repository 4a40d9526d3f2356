import './breakpoint-fields.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Breakpoint, RunOptions } from '../../../extension/panels/run/messages.ts';
import type { PanelProps } from '../panel-props.ts';

interface BreakpointFieldsProps extends PanelProps {
  readonly node: string;
}

type Problems = Partial<Record<'condition' | 'log', string | undefined>>;

/** Where a run stops at a node, and what else it asks for there. */
export function BreakpointFields({ store, view, node }: BreakpointFieldsProps) {
  const { options } = view.saved;
  const { interrupt_before: before, interrupt_after: after, breakpoints = [] } = options;
  const own: Breakpoint = breakpoints.find((one) => one.node === node) ?? { node };
  const [problems, setProblems] = useState<Problems>({});
  const id = useId();
  useEffect(() => {
    const { condition, log } = own;
    if (condition === undefined && log === undefined) setProblems({});
    else void store.quietly('checkBreakpoint', { condition, log }).then((found) => setProblems(found ?? {}));
  }, [store, own.condition, own.log]);

  const save = (part: Partial<RunOptions>) => store.save({ options: { ...options, ...part } });
  const change = (part: Partial<Breakpoint>): void => {
    const changed = without({ ...own, ...part });
    const others = breakpoints.filter((one) => one.node !== node);
    save({ breakpoints: Object.keys(changed).length > 1 ? [...others, changed] : others });
  };
  const isSet = before.includes(node) || after.includes(node);
  return (
    <fieldset class="breakpoint-fields">
      <legend>{l10n.t('Breakpoint')}</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={before.includes(node)}
          onChange={() => save({ interrupt_before: toggled(before, node) })}
        />
        {l10n.t('Before the node')}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={after.includes(node)}
          onChange={() => save({ interrupt_after: toggled(after, node) })}
        />
        {l10n.t('After the node')}
      </label>
      {isSet && (
        <>
          <label for={`${id}-condition`}>{l10n.t('Condition')}</label>
          <input
            id={`${id}-condition`}
            type="text"
            value={own.condition ?? ''}
            placeholder="size(state.messages) > 2"
            aria-invalid={problems.condition !== undefined}
            aria-describedby={`${id}-condition-problem`}
            onChange={(event) => change({ condition: event.currentTarget.value.trim() })}
          />
          <Problem id={`${id}-condition-problem`} text={problems.condition} />
          <label for={`${id}-hits`}>{l10n.t('Hit count')}</label>
          <input
            id={`${id}-hits`}
            type="text"
            inputMode="numeric"
            value={own.hit_count ?? ''}
            placeholder="1"
            onChange={(event) => {
              const hits = Number(event.currentTarget.value);
              change({ hit_count: Number.isSafeInteger(hits) && hits > 1 ? hits : undefined });
            }}
          />
          <label for={`${id}-log`}>{l10n.t('Log instead of stopping')}</label>
          <input
            id={`${id}-log`}
            type="text"
            value={own.log ?? ''}
            placeholder={l10n.t('topic is {state.topic}')}
            aria-invalid={problems.log !== undefined}
            aria-describedby={`${id}-log-problem`}
            onChange={(event) => change({ log: event.currentTarget.value.trim() })}
          />
          <Problem id={`${id}-log-problem`} text={problems.log} />
          {view.session?.is_live === false && own.log !== undefined && (
            <p class="muted">
              {l10n.t(
                'Log messages are shown only in this panel, because the log of this deployment cannot be written to.',
              )}
            </p>
          )}
        </>
      )}
    </fieldset>
  );
}

function Problem({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p id={id} class="node-error">
      {text}
    </p>
  );
}

/** Without what is empty. */
function without({ node, condition, hit_count, log }: Breakpoint): Breakpoint {
  return {
    node,
    ...(condition !== undefined && condition !== '' && { condition }),
    ...(hit_count !== undefined && { hit_count }),
    ...(log !== undefined && log !== '' && { log }),
  };
}

function toggled(list: readonly string[], node: string): string[] {
  return list.includes(node) ? list.filter((one) => one !== node) : [...list, node];
}
