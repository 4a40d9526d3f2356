import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { runNode as runAlone } from '../../client/run-node.ts';
import { Uuid } from '../../contract/fields.ts';
import { bounded, MAX_ANSWER } from '../bounded.ts';
import { defineTool } from '../tool.ts';

/** The maximum number of a thread's states that are searched for one that the node ran from. */
const MAX_STATES = 100;

export const runNode = defineTool({
  name: 'run_node',
  title: 'Run Node',
  description:
    'Runs one node alone with the current code, with its input from a thread or with another input. Nothing is stored, but the node does call models and other services.',
  effect: 'runs',
  input: z.object({
    node: z.string().min(1),
    thread_id: Uuid.optional().describe('Thread in which the node ran; its last run there is used'),
    checkpoint_id: z.string().optional().describe('State that the node ran from; the last one by default'),
    graph: z.string().optional().describe('Name in langgraph.json, when no thread is given'),
    input: z.unknown().optional().describe('Input instead of the recorded one; required without a thread'),
  }),
  output: z.object({
    status: z.enum(['success', 'interrupted', 'error', 'cancelled']),
    update: z.unknown().optional(),
    goto: z.unknown().optional(),
    error: z.string().optional(),
    stack: z.string().optional(),
  }),
  async run(context, { node, thread_id, checkpoint_id, graph, input }) {
    if (thread_id === undefined && (graph === undefined || input === undefined)) {
      throw new Error('Pass thread_id, or graph and input.');
    }
    await using deployment = await context.deployment();
    const from =
      thread_id === undefined || checkpoint_id !== undefined
        ? checkpoint_id
        : await findLastCheckpoint(deployment.client, thread_id, node, context.signal);
    const place = { node, thread_id, checkpoint_id: from, graph_id: graph };
    const { status, result, error } = await runAlone(
      deployment.client,
      input === undefined ? place : { ...place, input },
      { signal: context.signal },
    );
    return {
      status,
      update: bounded(result.update, MAX_ANSWER / 2),
      goto: bounded(result.goto, 1_000),
      error: error === undefined ? undefined : String(bounded(`${error.name}: ${error.message}`, 1_000)),
      stack: error?.stack === undefined ? undefined : String(bounded(error.stack, 1_500)),
    };
  },
});

/**
 * The checkpoint ID of a thread's newest state from which a node ran or would run; undefined if none is
 * found.
 */
async function findLastCheckpoint(
  { threads }: Pick<Client, 'threads'>,
  thread_id: string,
  node: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const states = await threads.history({ params: { thread_id }, body: { limit: MAX_STATES } }, { signal });
  return states.find(({ next }) => next.includes(node))?.checkpoint.checkpoint_id ?? undefined;
}
