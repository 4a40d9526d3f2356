import * as vscode from 'vscode';
import type { Deployments } from '../deployments/deployments.ts';
import { CHAT_TOOL_NAMES } from './chat-tool-names.ts';

/**
 * Offers four of the tools for coding agents as `#trace`, `#thread`, `#graph` and `#prove` in VS Code's
 * chats, for the current deployment. Their code is loaded when one of them is called.
 */
export function offerLanguageModelTools(deployments: Deployments): vscode.Disposable {
  const tools = CHAT_TOOL_NAMES.map((name) =>
    vscode.lm.registerTool<object>(name, {
      prepareInvocation: async ({ input }) => (await import('./chat-tool.ts')).prepare(name, input),
      invoke: async ({ input }, token) =>
        (await import('./chat-tool.ts')).invoke(name, deployments, { input, token }),
    }),
  );
  return vscode.Disposable.from(...tools);
}
