import './message.css';
import * as l10n from '@vscode/l10n';
import { type AttachmentActions, Attachments } from '../../shared/attachments.tsx';
import { CopyButton } from '../../shared/copy-button.tsx';
import { useCopyMenu } from '../../shared/copy-menu.ts';
import { cut } from '../../shared/cut.ts';
import { Icon } from '../../shared/icon.tsx';
import { preview } from '../../shared/json.tsx';
import { plainName } from '../../shared/plain-name.ts';
import { Prose } from '../../shared/prose.tsx';
import type { ToolCall, ToolResult } from '../messages.ts';
import type { AnswerProps, RowProps } from './row-props.ts';
import { isSubagent, phaseOf, Subagent } from './subagent.tsx';
import { Thoughts } from './thoughts.tsx';
import { ToolCallView } from './tool-call.tsx';

/** The maximum number of characters of a message that are shown. */
const MAX_LENGTH = 30_000;
/**
 * The maximum number of characters of an answer that are shown at first. Users read answers while they
 * arrive, so only very long ones are cut.
 */
const MAX_ANSWER_LENGTH = 200_000;

/** A message of the user, which can be edited and sent again. */
export function HumanMessage({ row, store }: RowProps<'human'>) {
  const { messageId, text, files } = row;
  const bubble = useCopyMenu<HTMLElement>('message', () => text);
  return (
    <div class="said">
      {messageId !== undefined && (
        <button
          type="button"
          class="resend"
          title={l10n.t('Edit and Resend')}
          aria-label={l10n.t('Edit and Resend')}
          onClick={() => void store.resend(messageId, text, files)}
        >
          <Icon name="edit" />
        </button>
      )}
      <article ref={bubble} class="bubble" aria-label={l10n.t('You')}>
        {cut(text, MAX_LENGTH)}
        <Attachments files={files} {...attachmentActions(store)} />
      </article>
    </div>
  );
}

/** An answer of the agent: reasoning, text, attachments, tool calls, and subagents. */
export function AiMessage({ row, store, showsNode, isCurrent, InnerRow }: AnswerProps) {
  const calls = row.toolCalls.map((call) => ({ call, ...workOn(call, row) }));
  const isAnyAtWork = calls.some(({ run, result }) => phaseOf(run, result) === 'running');
  const [agents, tools] = [
    calls.filter(({ call, run }) => isSubagent(call, run)),
    calls.filter(({ call, run }) => !isSubagent(call, run)),
  ];
  return (
    <article aria-label={row.node === undefined ? l10n.t('Agent') : l10n.t('Agent, node {0}', row.node)}>
      {showsNode && row.node !== undefined && (
        <p class="node" aria-hidden="true">
          {plainName(row.node)}
        </p>
      )}
      {row.reasoning !== '' && (
        <Thoughts
          text={row.reasoning}
          isThinking={row.streaming && row.text === '' && row.toolCalls.length === 0}
        />
      )}
      {row.text !== '' && (
        <div class={row.streaming ? 'answer streaming' : 'answer copyable'}>
          {!row.streaming && (
            <CopyButton kind="message" text={() => row.text} label={l10n.t('Copy Answer')} />
          )}
          <Prose text={row.text} maxLength={MAX_ANSWER_LENGTH} headings={2} isGrowing={row.streaming} />
        </div>
      )}
      <Attachments files={row.files} {...attachmentActions(store)} />
      {tools.map(({ call, run, result }, index) => (
        <ToolCallView
          key={call.id ?? index}
          call={call}
          result={result}
          isRunning={phaseOf(run, result) === 'running' || (isCurrent && isOpenCall(call, result))}
          streaming={row.streaming}
          actions={attachmentActions(store)}
        />
      ))}
      {agents.length > 0 && (
        <div class="subagents">
          {agents.map(({ call, run, result }, index) => (
            <Subagent
              key={call.id ?? index}
              call={call}
              run={run}
              result={result}
              isAnyAtWork={isAnyAtWork}
              store={store}
              InnerRow={InnerRow}
            />
          ))}
        </div>
      )}
    </article>
  );
}

/** Whether a call waits for its result. */
function isOpenCall({ problem }: ToolCall, result: ToolResult | undefined): boolean {
  return result === undefined && problem === undefined;
}

/** The observed run of a tool call, and its result. */
function workOn({ id }: ToolCall, { runs, results }: RowProps<'ai'>['row']) {
  return { run: id === undefined ? undefined : runs[id], result: id === undefined ? undefined : results[id] };
}

/** A message of another role: a system message, or a tool's result without its call. */
export function Note({ row, store }: RowProps<'note'>) {
  return (
    <details class="line">
      <summary>
        <Icon name="note" />
        <span class="name">{plainName(row.role)}</span>
        <span class="preview">{preview(row.text)}</span>
      </summary>
      <p class="text">{cut(row.text, MAX_LENGTH)}</p>
      <Attachments files={row.files} {...attachmentActions(store)} />
    </details>
  );
}

function attachmentActions(store: RowProps['store']): AttachmentActions {
  return {
    onOpenFile: (file) => void store.ask('openFile', file),
    onOpenJson: (title, value) => void store.ask('openJson', { title, value }),
  };
}
