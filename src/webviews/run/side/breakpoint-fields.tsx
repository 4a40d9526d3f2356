import './breakpoint-fields.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import type { Breakpoint, RunOptions } from '../../../extension/panels/run/messages.ts';
import type { PanelProps } from '../panel-props.ts';
import { readCount } from '../read-settings.ts';
import { SettingField } from '../setting-field.tsx';
import { toggle } from '../toggle.ts';

interface BreakpointFieldsProps extends PanelProps {
  readonly node: string;
}

type Problems = Partial<Record<'condition' | 'log', string | undefined>>;

/** The breakpoints of a node: before and after it, with their options. */
export function BreakpointFields({ store, view, node }: BreakpointFieldsProps) {
  const { options } = view.saved;
  const { interrupt_before: before, interrupt_after: after } = options;
  const save = (part: Partial<RunOptions>) => store.save({ options: { ...options, ...part } });
  return (
    <fieldset class="breakpoint-fields">
      <legend>{l10n.t('Breakpoint')}</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={before.includes(node)}
          onChange={() => save({ interrupt_before: toggle(before, node) })}
        />
        {l10n.t('Before the node')}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={after.includes(node)}
          onChange={() => save({ interrupt_after: toggle(after, node) })}
        />
        {l10n.t('After the node')}
      </label>
      {(before.includes(node) || after.includes(node)) && (
        <StopFields key={node} store={store} view={view} node={node} />
      )}
    </fieldset>
  );
}

/** The options of a breakpoint: when it stops a run, or what it logs instead. */
function StopFields({ store, view, node }: BreakpointFieldsProps) {
  const { options } = view.saved;
  const { breakpoints = [] } = options;
  const own: Breakpoint = breakpoints.find((one) => one.node === node) ?? { node };
  const problems = useProblems(store, own);
  const change = (part: Partial<Breakpoint>): undefined => {
    const changed = withoutEmpty({ ...own, ...part });
    const others = breakpoints.filter((one) => one.node !== node);
    const hasOptions = Object.keys(changed).length > 1;
    store.save({ options: { ...options, breakpoints: hasOptions ? [...others, changed] : others } });
  };
  return (
    <>
      <SettingField
        label={l10n.t('Condition')}
        value={own.condition}
        placeholder="size(state.messages) > 2"
        problem={problems.condition}
        save={(condition) => change({ condition })}
      />
      <SettingField
        label={l10n.t('Hit count')}
        value={own.hit_count?.toString()}
        placeholder="1"
        isNumber
        save={(text) => {
          const { count = 1, problem } = readCount(text);
          change({ hit_count: count > 1 ? count : undefined });
          return problem;
        }}
      />
      <SettingField
        label={l10n.t('Log message (don’t stop)')}
        value={own.log}
        placeholder={l10n.t('topic is {state.topic}')}
        problem={problems.log}
        save={(log) => change({ log })}
      />
      {view.session?.is_live === false && own.log !== undefined && (
        <p class="muted">
          {l10n.t(
            'Log messages are shown only in this panel, because the log of this deployment cannot be written to.',
          )}
        </p>
      )}
    </>
  );
}

/** Asks the host whether the condition and the log message of a breakpoint are valid. */
function useProblems(store: PanelProps['store'], { condition, log }: Breakpoint): Problems {
  const [problems, setProblems] = useState<Problems>({});
  useEffect(() => {
    if (condition === undefined && log === undefined) setProblems({});
    else void store.quietly('checkBreakpoint', { condition, log }).then((found) => setProblems(found ?? {}));
  }, [store, condition, log]);
  return problems;
}

/** A breakpoint without its empty options. */
function withoutEmpty({ node, condition, hit_count, log }: Breakpoint): Breakpoint {
  return {
    node,
    ...(condition !== undefined && condition !== '' && { condition }),
    ...(hit_count !== undefined && { hit_count }),
    ...(log !== undefined && log !== '' && { log }),
  };
}
