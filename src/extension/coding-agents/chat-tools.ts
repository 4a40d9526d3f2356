import { z } from 'zod';
import type { Tool } from '../../coding-agents/tool.ts';
import type { ProjectToolContext } from '../../coding-agents/tool-context.ts';
import { graphStructure } from '../../coding-agents/tools/graph-structure.ts';
import { listTraces } from '../../coding-agents/tools/list-traces.ts';
import { prove } from '../../coding-agents/tools/prove.ts';
import { readThread } from '../../coding-agents/tools/read-thread.ts';
import { readTrace } from '../../coding-agents/tools/read-trace.ts';
import type { ChatToolName } from './chat-tool-names.ts';

/** `#trace` combines two tools, because a user who refers to it may not know the ID of a trace. */
const trace: Tool<ProjectToolContext> = {
  ...readTrace,
  description: `${readTrace.description} Without trace_id it lists traces, newest first.`,
  input: z.object({ ...listTraces.input.shape, ...readTrace.input.partial({ trace_id: true }).shape }),
  run: (context, input) =>
    z.looseObject({ trace_id: z.string().optional() }).parse(input).trace_id === undefined
      ? listTraces.run(context, input)
      : readTrace.run(context, input),
};

/** The tools of VS Code's chat, which package.json contributes with these descriptions and schemas. */
export const CHAT_TOOLS: Readonly<Record<ChatToolName, Tool<ProjectToolContext>>> = {
  agentHarbor_trace: trace,
  agentHarbor_thread: readThread,
  agentHarbor_graph: graphStructure,
  agentHarbor_prove: prove,
};
