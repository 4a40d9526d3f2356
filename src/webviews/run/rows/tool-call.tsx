import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { type AttachmentActions, Attachments } from '../../shared/attachments.tsx';
import { Icon } from '../../shared/icon.tsx';
import { Json, preview } from '../../shared/json.tsx';
import { parseStructured } from '../../shared/parse-structured.ts';
import { plainName } from '../../shared/plain-name.ts';
import type { ToolCall, ToolResult } from '../messages.ts';
import { todoProgress, workOf } from '../working-state.ts';

interface ToolCallProps {
  readonly call: ToolCall;
  readonly result: ToolResult | undefined;
  readonly isRunning: boolean;
  readonly streaming: boolean;
  readonly actions: AttachmentActions;
}

/** A tool call on one line, which expands to its arguments and its result. */
export function ToolCallView({ call, result, isRunning, streaming, actions }: ToolCallProps) {
  const { onOpenJson: onOpen } = actions;
  const [isOpen, setOpen] = useState(false);
  const isBad = call.problem !== undefined || result?.failed === true;
  // The reason of a failure is more important than the arguments, which are shown inside.
  const reason = call.problem || (result?.failed ? result.text : '');
  const state = isBad ? 'failed' : result === undefined ? '' : 'done';
  return (
    <details class={`line tool ${state}`} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name={isBad ? 'error' : result === undefined ? 'tools' : 'check'} />
        <span class="name">{plainName(call.name)}</span>
        <span class="preview">{reason ? preview(reason) : (todosIn(call) ?? preview(call.args))}</span>
        {result === undefined && streaming && <span class="muted">{l10n.t('calling…')}</span>}
        {isRunning && !streaming && <span class="muted">{l10n.t('running…')}</span>}
      </summary>
      {isOpen && (
        <>
          <p class="caption">{l10n.t('Arguments')}</p>
          <Json value={call.args} onOpen={() => onOpen(l10n.t('{0} arguments', call.name), call.args)} />
        </>
      )}
      {isOpen && call.problem !== undefined && (
        <p class="caption">{call.problem || l10n.t('The arguments are not valid JSON.')}</p>
      )}
      {isOpen && result !== undefined && <ToolOutput name={call.name} result={result} actions={actions} />}
    </details>
  );
}

/** The progress of the to-dos in a call's arguments, in words; `undefined` without to-dos. */
function todosIn({ args }: ToolCall): string | undefined {
  const { todos } = workOf(args);
  if (todos.length === 0) return undefined;
  const { done, current } = todoProgress(todos);
  return [l10n.t('{0} of {1} done', done, todos.length), current?.content].filter(Boolean).join(' · ');
}

interface ToolOutputProps {
  readonly name: string;
  readonly result: ToolResult;
  readonly actions: AttachmentActions;
}

function ToolOutput({ name, result, actions }: ToolOutputProps) {
  const output = parseStructured(result.text) ?? result.text;
  return (
    <>
      <p class="caption">{result.failed ? l10n.t('Error') : l10n.t('Result')}</p>
      {(result.text !== '' || result.files.length === 0) && (
        <Json value={output} onOpen={() => actions.onOpenJson(l10n.t('{0} result', name), output)} />
      )}
      <Attachments files={result.files} {...actions} />
    </>
  );
}
