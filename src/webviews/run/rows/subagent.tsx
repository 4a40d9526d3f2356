import './subagent.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isDictionary } from '../../../terms/fields.ts';
import { Icon } from '../../shared/icon.tsx';
import { preview } from '../../shared/json.tsx';
import { plainName } from '../../shared/plain-name.ts';
import { Prose } from '../../shared/prose.tsx';
import type { ToolCall, ToolResult } from '../messages.ts';
import { timelineRows } from '../timeline-rows.ts';
import { play } from '../transcript.ts';
import { type CallRun, emptyTranscript, type Row } from '../transcript-model.ts';
import type { AnswerProps } from './row-props.ts';
import { Spent } from './spent.tsx';

/** The maximum number of characters of a result that are shown at first. */
const MAX_LENGTH = 30_000;
/** Within this distance of the end, the conversation follows new messages. */
const NEAR_END_PIXELS = 24;

interface SubagentProps extends Pick<AnswerProps, 'store' | 'InnerRow'> {
  readonly call: ToolCall;
  readonly run: CallRun | undefined;
  readonly result: ToolResult | undefined;
  /** Whether this subagent or one of its siblings is running. */
  readonly isAnyAtWork: boolean;
}

/** Whether a tool call runs an agent: it calls the `task` tool of deep agents, or a graph whose output was observed. */
export function isSubagent({ name, args }: ToolCall, run: CallRun | undefined): boolean {
  if (run !== undefined && run.rows.length > 0) return true;
  if (name !== 'task') return false;
  // While arguments stream, they are text.
  return typeof args === 'string' || (isDictionary(args) && typeof args.subagent_type === 'string');
}

/** The progress of a tool call; `undefined` if it was not observed and has no result. */
export function phaseOf(
  run: CallRun | undefined,
  result: ToolResult | undefined,
): CallRun['phase'] | undefined {
  if (result !== undefined) return result.failed ? 'failed' : 'done';
  return run?.phase;
}

/** The conversation of a subagent: expanded while it runs, collapsed to its result afterwards. */
export function Subagent({ call, run, result, isAnyAtWork, store, InnerRow }: SubagentProps) {
  // Undefined until the user expands or collapses the conversation.
  const [chosen, choose] = useState<boolean>();
  const isOpen = chosen ?? isAnyAtWork;
  const phase = phaseOf(run, result);
  const { name, description } = taskOf(call);
  const state = stateOf(phase);
  return (
    <details
      class={`subagent ${phase ?? 'idle'}${isAnyAtWork ? ' live' : ''}`}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        // The event also reports changes of `open` that are not the user's.
        if (open !== isOpen) choose(open);
      }}
    >
      <summary>
        <span class="lines">
          <span class="who">
            <Icon name={state.icon} spin={phase === 'running'} />
            <span class="name">{name}</span>
            <span class="for-screen-readers">{state.text}</span>
          </span>
          {description !== '' && <span class="asked">{description}</span>}
          {!isOpen && result !== undefined && <span class="preview">{withoutMarks(result.text)}</span>}
          <span class="muted spent">
            <Spent run={run} isRunning={phase === 'running'} />
          </span>
        </span>
      </summary>
      {isOpen && (
        <Body
          call={call}
          run={run}
          result={result}
          isAtWork={phase === 'running'}
          name={description === '' ? name : l10n.t('{0}, {1}', name, description)}
          store={store}
          InnerRow={InnerRow}
        />
      )}
    </details>
  );
}

interface BodyProps extends Pick<SubagentProps, 'call' | 'run' | 'result' | 'store' | 'InnerRow'> {
  readonly isAtWork: boolean;
  readonly name: string;
}

function Body({ call, run, result, isAtWork, name, store, InnerRow }: BodyProps) {
  const box = useRef<HTMLElement>(null);
  const follows = useRef(true);
  const recalled = useRecalled({ call, run, store });
  const conversation = run !== undefined && run.rows.length > 0 ? run.rows : recalled;
  const rows = timelineRows({ rows: conversation, values: undefined }, false);
  useLayoutEffect(() => {
    if (isAtWork && follows.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [run, isAtWork]);
  const last = conversation.findLast((row) => row.kind === 'ai');
  const isResultShown = last?.kind === 'ai' && last.text.trim() === result?.text.trim();
  return (
    <section
      ref={box}
      class="said-inside"
      aria-label={l10n.t('Conversation of {0}', name)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PIXELS;
      }}
    >
      {rows.map((row) => (
        <InnerRow key={row.id} row={row} store={store} isLive={false} showsNodes={false} isCurrent={false} />
      ))}
      {result !== undefined && !isResultShown && (
        <div class={result.failed ? 'failed-result' : ''}>
          <Prose text={result.text} maxLength={MAX_LENGTH} headings={4} />
        </div>
      )}
      {result === undefined && rows.length === 0 && (
        <p class="muted">{isAtWork ? l10n.t('No messages yet.') : l10n.t('No messages.')}</p>
      )}
    </section>
  );
}

/** Reads the conversation of a subagent whose run was not observed, because the thread was reopened. */
function useRecalled({ call, run, store }: Pick<BodyProps, 'call' | 'run' | 'store'>): readonly Row[] {
  const [recalled, setRecalled] = useState<readonly Row[]>([]);
  const { id: call_id } = call;
  const isMissing = run === undefined && call_id !== undefined;
  useEffect(() => {
    if (!isMissing) return undefined;
    let isWanted = true;
    void store.quietly('subagent', { call_id }).then((values) => {
      const { rows } = play(emptyTranscript, [{ type: 'history', values, interrupts: [] }]);
      // The question is already shown above.
      if (isWanted) setRecalled(rows.filter(({ kind }) => kind === 'ai' || kind === 'note'));
    });
    return () => {
      isWanted = false;
    };
  }, [isMissing, call_id]);
  return recalled;
}

/** Markdown on one line, without its formatting characters. */
function withoutMarks(text: string): string {
  return preview(text.replace(/[*_`#]/g, ''));
}

function taskOf({ name, args }: ToolCall): { readonly name: string; readonly description: string } {
  if (!isDictionary(args)) return { name: plainName(name), description: '' };
  const { subagent_type: agent, description } = args;
  return {
    name: plainName(typeof agent === 'string' ? agent : name),
    description: typeof description === 'string' ? description : preview(args),
  };
}

function stateOf(phase: CallRun['phase'] | undefined): { readonly icon: string; readonly text: string } {
  switch (phase) {
    case undefined:
      return { icon: 'circle-large-outline', text: l10n.t('No result') };
    case 'running':
      return { icon: 'loading', text: l10n.t('Running') };
    case 'done':
      return { icon: 'check', text: l10n.t('Done') };
    case 'failed':
      return { icon: 'error', text: l10n.t('Failed') };
    case 'waiting':
      return { icon: 'debug-pause', text: l10n.t('Waiting for input') };
    case 'stopped':
      return { icon: 'circle-slash', text: l10n.t('Stopped') };
  }
}
