import { boundError } from '../errors/runtime-error.ts';
import { isRecord } from '../langgraph-types.ts';

/** The place of a checkpoint in the form of clients; null when the config names no thread. */
export function checkpointOf(config: unknown): Record<string, unknown> | null {
  const configurable = isRecord(config) ? config.configurable : undefined;
  if (!isRecord(configurable) || typeof configurable.thread_id !== 'string') return null;
  return {
    thread_id: configurable.thread_id,
    checkpoint_ns: configurable.checkpoint_ns ?? '',
    checkpoint_id: configurable.checkpoint_id ?? null,
    checkpoint_map: configurable.checkpoint_map ?? null,
  };
}

/** The place of the checkpoints of a task's subgraph, with the parts that its config names. */
export function taskCheckpointOf(config: unknown): Record<string, unknown> | null {
  const checkpoint = checkpointOf(config);
  return checkpoint && Object.fromEntries(Object.entries(checkpoint).filter(([, value]) => value !== null));
}

/**
 * Converts the payload of a `checkpoints` event: adds references to checkpoints, and removes internal entries
 * from the configs.
 */
export function wireCheckpoint(payload: Record<string, unknown>): Record<string, unknown> {
  const { parentConfig, config, tasks, ...rest } = payload;
  return {
    ...rest,
    tasks: Array.isArray(tasks) ? tasks.map(wireTask) : [],
    config: publicConfig(config),
    parent_config: publicConfig(parentConfig) ?? null,
    checkpoint: checkpointOf(config),
    parent_checkpoint: checkpointOf(parentConfig),
  };
}

/**
 * Converts a task to the form of clients: a reference to its state becomes `checkpoint`, and a long error is
 * shortened.
 */
export function wireTask(task: unknown): unknown {
  if (!isRecord(task)) return task;
  const error = boundError(task.error);
  const bounded = error === task.error ? task : { ...task, error };
  const checkpoint = taskCheckpointOf(task.state);
  if (checkpoint === null) return bounded;
  const { state, ...rest } = bounded;
  return { ...rest, checkpoint };
}

/** A config without callbacks and LangGraph's own entries (names that begin with two underscores). */
function publicConfig(config: unknown): unknown {
  if (!isRecord(config)) return config;
  const { callbacks, configurable, ...rest } = config;
  if (!isRecord(configurable)) return rest;
  return {
    ...rest,
    configurable: Object.fromEntries(Object.entries(configurable).filter(([key]) => !key.startsWith('__'))),
  };
}
