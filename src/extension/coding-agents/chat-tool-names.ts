/** The tools of VS Code's chat by the names that package.json contributes them with. */
export const CHAT_TOOL_NAMES = [
  'agentHarbor_trace',
  'agentHarbor_thread',
  'agentHarbor_graph',
  'agentHarbor_prove',
] as const;
export type ChatToolName = (typeof CHAT_TOOL_NAMES)[number];
