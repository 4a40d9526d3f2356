import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject, Uuid } from '../fields.ts';
import { RunCommand } from './threads.ts';

/** A node of a checkpoint's superstep. Without a thread, it is a node of `graph_id` for which nothing is recorded. */
const NodePlace = z.object({
  node: z.string().min(1).max(1_000),
  thread_id: Uuid.nullish(),
  /** The graph; the thread's own when absent. */
  graph_id: z.string().min(1).max(1_000).nullish(),
  /** The namespace of the checkpoint; empty for the root graph. */
  checkpoint_ns: z.string().max(10_000).default(''),
  /** The checkpoint that the node ran from. If only the task is given, the checkpoint is found by the task's writes. */
  checkpoint_id: z.string().min(1).max(1_000).nullish(),
  /** The task of the node; not needed if the checkpoint has only one. */
  task_id: z.string().min(1).max(1_000).nullish(),
});
export type NodePlace = z.output<typeof NodePlace>;

/** The writes of a task, by kind; empty kinds are left out. */
export const TaskResult = z.looseObject({
  /** The written values, by key of the state; pairs if a key was written twice. */
  update: z.unknown().optional(),
  /** Nodes that come next: names, or `{node, input}` for a `Send`. */
  goto: z.array(z.unknown()).optional(),
  interrupts: z.array(z.unknown()).optional(),
  error: z.string().optional(),
});
export type TaskResult = z.output<typeof TaskResult>;

/** The result of a node that ran alone: the data of the event `result`. */
export const NodeResult = z.looseObject({
  status: z.enum(['success', 'interrupted', 'error', 'cancelled']),
  result: TaskResult,
  /** Whether the node returned a `Command`: only then does `goto` come from the node and not from edges. */
  is_command: z.boolean(),
  error: z.looseObject({ name: z.string(), message: z.string(), stack: z.string().optional() }).optional(),
});
export type NodeResult = z.output<typeof NodeResult>;

/** Why the node could not run: the data of the event `error`. */
export const NodeFailure = z.looseObject({ message: z.string() });

export const nodes = {
  nodeInput: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/nodes/input',
    summary: 'Get the input and the writes of a node',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    body: NodePlace,
    responses: {
      200: z.looseObject({
        graph_id: z.string(),
        checkpoint_id: z.string().nullable(),
        /** The input that the node was given; null when it is not known. */
        input: z.unknown().optional(),
        recorded: TaskResult.nullable(),
      }),
    },
  }),
  runNode: endpoint({
    kind: 'event-stream',
    method: 'POST',
    path: '/harbor/nodes/run',
    summary:
      'Run a node alone without storing anything; the event `result` ends the stream. Closing the connection cancels the node',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'create_run' },
    body: NodePlace.extend({
      /** The input for the node, instead of the recorded one. */
      input: z.unknown().optional(),
    }),
  }),
  keepResult: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/nodes/keep',
    summary: 'Update a thread from a checkpoint with the results of the tasks of its superstep',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'update' },
    body: z.object({
      thread_id: Uuid,
      checkpoint_ns: z.string().max(10_000).default(''),
      checkpoint_id: z.string().min(1).max(1_000),
      updates: z
        .array(
          z.object({
            as_node: z.string().min(1).max(1_000),
            values: z.unknown().optional(),
            command: RunCommand.nullish(),
          }),
        )
        .min(1)
        .max(1_000),
    }),
    responses: { 200: z.looseObject({ checkpoint: JsonObject }) },
  }),
  reducers: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/graphs/{graph_id}/reducers',
    summary: 'Get the names of the reducers of a graph, by key of its state; a name may be empty',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    params: z.object({ graph_id: z.string() }),
    responses: { 200: z.record(z.string(), z.string()) },
  }),
};
