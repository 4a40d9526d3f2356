import * as vscode from 'vscode';
import { isAllowed } from '../../coding-agents/effects.ts';
import type { Effect } from '../../coding-agents/tool.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { ChatToolName } from './chat-tool-names.ts';
import { CHAT_TOOLS } from './chat-tools.ts';
import { toolContextOf } from './window-context.ts';

/** As in `mcp-servers.ts`; a shared module would be one more file for activation to read. */
const SETTING = 'agentHarbor.codingAgents';

/**
 * Returns the message to show while a tool runs, and for `prove` a question to ask before it runs the
 * project's code.
 * @param input the tool's input
 */
export function prepare(name: ChatToolName, input: object): vscode.PreparedToolInvocation {
  if (name !== 'agentHarbor_prove') return { invocationMessage: progressOf(name) };
  const { file, allow_new } = { file: '', allow_new: false, ...input };
  return {
    invocationMessage: progressOf(name),
    confirmationMessages: {
      title: vscode.l10n.t('Run {0} on the current code?', file),
      message: allow_new
        ? vscode.l10n.t('The graph runs again. Requests that were not recorded are sent to models and tools.')
        : vscode.l10n.t('The graph runs again with the recorded answers. Nothing is sent.'),
    },
  };
}

/**
 * Runs a tool in the context of this window.
 * @throws Error with a sentence for the chat; vscode.CancellationError
 */
export async function invoke(
  name: ChatToolName,
  deployments: Deployments,
  { input, token }: { readonly input: object; readonly token: vscode.CancellationToken },
): Promise<vscode.LanguageModelToolResult> {
  if (!vscode.workspace.isTrusted)
    throw new Error(vscode.l10n.t('The open folder is in Restricted Mode. Trust it to run its agents.'));
  const { effect, run } = CHAT_TOOLS[name];
  const allowed = vscode.workspace.getConfiguration().get<Effect | 'off'>(SETTING, 'runs');
  if (allowed === 'off' || !isAllowed(effect, allowed))
    throw new Error(vscode.l10n.t('The setting {0} does not allow this.', SETTING));
  const canceled = new AbortController();
  const subscription = token.onCancellationRequested(() => canceled.abort(new vscode.CancellationError()));
  try {
    const answer = await run(toolContextOf(deployments, canceled.signal), input);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(JSON.stringify(answer))]);
  } finally {
    subscription.dispose();
  }
}

function progressOf(name: ChatToolName): string {
  switch (name) {
    case 'agentHarbor_trace':
      return vscode.l10n.t('Reading traces');
    case 'agentHarbor_thread':
      return vscode.l10n.t('Reading a thread');
    case 'agentHarbor_graph':
      return vscode.l10n.t('Reading graphs');
    case 'agentHarbor_prove':
      return vscode.l10n.t('Replaying a run');
  }
}
