import type { CheckpointRef, JsonObject, RunCommand, RunExecuteParams } from '../../protocol/protocol.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { type GraphConfig, isRecord } from '../langgraph-types.ts';

/** Names in `configurable` that the server or LangGraph sets, not the caller. */
const RESERVED_KEY = /^(?:__|x-|langgraph_|user-agent$)/;

/** The config of a run in LangGraph's spelling, without defaults. */
export function runConfig(params: RunExecuteParams, metadata: JsonObject): GraphConfig {
  const { config, run_id, thread_id, graph_id, assistant_id } = params;
  const configurable = {
    ...asRecord(config.configurable),
    ...checkpointConfigurable(params.checkpoint),
    ...(params.strict_resume === true ? { __pregel_strict_resume: true } : {}),
    thread_id,
    run_id,
    graph_id,
    assistant_id,
  };
  return {
    ...graphConfig(config),
    ...dropUndefined({
      context: contextOf(params.context, config),
      interruptBefore: params.interrupt_before,
      interruptAfter: params.interrupt_after,
    }),
    configurable,
    metadata,
    runId: run_id,
    durability: params.durability,
  };
}

/** Converts the fields of a config, such as `recursion_limit`, to LangGraph's spelling. */
export function graphConfig(config: JsonObject): GraphConfig {
  return dropUndefined({
    tags: config.tags,
    recursionLimit: config.recursion_limit,
    maxConcurrency: config.max_concurrency,
    runName: config.run_name,
    configurable: isRecord(config.configurable) ? config.configurable : undefined,
    metadata: isRecord(config.metadata) ? config.metadata : undefined,
  });
}

/**
 * An empty context is left out when the caller configured the graph through `configurable`, so that
 * LangGraph checks `configurable` against the graph's context schema instead.
 */
export function contextOf(context: JsonObject, config: JsonObject): JsonObject | undefined {
  if (Object.keys(context).length > 0) return context;
  const configured = Object.keys(asRecord(config.configurable)).some((key) => !RESERVED_KEY.test(key));
  return configured ? undefined : {};
}

/** The config for reading or updating a thread's state. */
export function threadConfig(
  { config, thread_id, graph_id }: { config: JsonObject; thread_id: string; graph_id: string },
  checkpoint: CheckpointRef | null,
): GraphConfig {
  const given = graphConfig(config);
  return {
    ...given,
    configurable: {
      ...given.configurable,
      thread_id,
      graph_id,
      checkpoint_ns: '',
      ...checkpointConfigurable(checkpoint),
    },
  };
}

function checkpointConfigurable(checkpoint: CheckpointRef | null): Record<string, unknown> {
  return checkpoint === null
    ? {}
    : dropUndefined({
        checkpoint_id: checkpoint.checkpoint_id,
        checkpoint_ns: checkpoint.checkpoint_ns,
        checkpoint_map: checkpoint.checkpoint_map,
      });
}

/** The input of a run: the caller's input, or its command as LangGraph's `Command`. */
export function runInput(
  params: Pick<RunExecuteParams, 'input' | 'command'>,
  langgraph: UserLangGraph,
): unknown {
  return params.command === null ? (params.input ?? null) : toCommand(params.command, langgraph);
}

/** @throws TypeError when `update` is neither an object nor a list of pairs */
export function toCommand({ update, resume, goto }: RunCommand, { Command, Send }: UserLangGraph): unknown {
  const fields: ConstructorParameters<typeof Command>[0] = {};
  if (isRecord(update)) fields.update = update;
  else if (update !== undefined && update !== null) {
    throw new TypeError('command.update must be an object of state keys, or a list of [key, value] pairs.');
  }
  if (resume !== undefined) fields.resume = resume;
  if (goto !== undefined && goto !== null) {
    const targets: unknown[] = Array.isArray(goto) ? goto : [goto];
    fields.goto = targets.map((target) =>
      isRecord(target) ? new Send(String(target.node), target.input) : String(target),
    );
  }
  return new Command(fields);
}

/** Removes undefined fields, which LangGraph would treat as values. */
function dropUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}

type Defined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
