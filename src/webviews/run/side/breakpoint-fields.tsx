import './breakpoint-fields.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Breakpoint, RunOptions } from '../../../extension/panels/run/messages.ts';
import type { PanelProps } from '../panel-props.ts';
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
        <StopFields store={store} view={view} node={node} />
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
  const change = (part: Partial<Breakpoint>): void => {
    const changed = withoutEmpty({ ...own, ...part });
    const others = breakpoints.filter((one) => one.node !== node);
    const isChanged = Object.keys(changed).length > 1;
    store.save({ options: { ...options, breakpoints: isChanged ? [...others, changed] : others } });
  };
  return (
    <>
      <TextField
        label={l10n.t('Condition')}
        value={own.condition}
        placeholder="size(state.messages) > 2"
        problem={problems.condition}
        onChange={(condition) => change({ condition })}
      />
      <TextField
        label={l10n.t('Hit count')}
        value={own.hit_count?.toString()}
        placeholder="1"
        isNumber
        onChange={(text) => {
          const hits = Number(text);
          change({ hit_count: Number.isSafeInteger(hits) && hits > 1 ? hits : undefined });
        }}
      />
      <TextField
        label={l10n.t('Log message (don’t stop)')}
        value={own.log}
        placeholder={l10n.t('topic is {state.topic}')}
        problem={problems.log}
        onChange={(log) => change({ log })}
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

interface TextFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder: string;
  readonly problem?: string | undefined;
  readonly isNumber?: boolean;
  readonly onChange: (text: string) => void;
}

function TextField({ label, value = '', placeholder, problem, isNumber = false, onChange }: TextFieldProps) {
  const id = useId();
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={isNumber ? 'numeric' : undefined}
        value={value}
        placeholder={placeholder}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} class="node-error">
          {problem}
        </p>
      )}
    </>
  );
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
