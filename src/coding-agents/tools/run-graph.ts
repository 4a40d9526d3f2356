import { z } from 'zod';
import { Uuid } from '../../contract/fields.ts';
import { RunEnd, runToEnd } from '../run-end.ts';
import { defineTool } from '../tool.ts';
import { requireLoaded } from '../tool-context.ts';

export const runGraph = defineTool({
  name: 'run_graph',
  title: 'Run Graph',
  description:
    'Runs a graph of the project with the current code, its models and tools, until it ends or asks a question. The run is recorded, so reproduce and prove work on it.',
  effect: 'runs',
  input: z.object({
    graph: z.string().min(1).describe('Name in langgraph.json, or an assistant ID'),
    input: z.unknown().describe('Input of the graph; see graph_structure for its schema'),
    thread_id: Uuid.optional().describe('Continues this thread; a new one by default'),
  }),
  output: RunEnd,
  async run(context, { graph, input, thread_id }) {
    await using deployment = await context.deployment();
    requireLoaded(deployment, graph);
    const { client } = deployment;
    const threadId =
      thread_id ?? (await client.threads.create({ body: {} }, { signal: context.signal })).thread_id;
    // The deployment is released when this function returns, so the run must have ended.
    return await runToEnd(context, client, { threadId, assistantId: graph, body: { input } });
  },
});
