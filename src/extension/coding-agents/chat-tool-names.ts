/** The names under which package.json contributes the tools to VS Code's chat. */
export const CHAT_TOOL_NAMES = [
  'agentHarbor_trace',
  'agentHarbor_thread',
  'agentHarbor_graph',
  'agentHarbor_prove',
] as const;
export type ChatToolName = (typeof CHAT_TOOL_NAMES)[number];
