import { z } from 'zod';
import { ArchivedRecord, ArchivedThread } from '../contract/agent-server/archive.ts';
import { Exchange, ExchangePart } from '../contract/agent-server/exchanges.ts';
import { RunError, StreamMode } from '../contract/agent-server/runs.ts';
import { JsonObject } from '../contract/fields.ts';

/** The version of the format; files of other versions are refused. */
export const RUN_FILE_VERSION = 1;

/** The commit of the project. */
const Git = z.object({ commit: z.string(), branch: z.string().nullish(), dirty: z.boolean() });

/** The first line of a run file. */
export const RunFileHead = z.object({
  kind: z.literal('agentrun'),
  version: z.literal(RUN_FILE_VERSION),
  created_at: z.string(),
  graph_id: z.string(),
  git: Git.nullable(),
  /** The variables that the project needs to load; null for those whose values must not be in any file. */
  variables: z.record(z.string(), z.string().nullable()),
});
export type RunFileHead = z.output<typeof RunFileHead>;

/** The request for a run. A file has the saved run, preceded by the runs that it continues. */
export const SavedRun = z.object({
  kind: z.literal('run'),
  run_id: z.string(),
  input: z.unknown(),
  command: z.unknown(),
  context: JsonObject,
  config: JsonObject,
  interrupt_before: z.union([z.literal('*'), z.array(z.string())]).nullish(),
  interrupt_after: z.union([z.literal('*'), z.array(z.string())]).nullish(),
  /**
   * A replay uses the same modes, because LangGraph sends different requests to models when their output is
   * streamed.
   */
  stream_mode: z.array(StreamMode),
  stream_subgraphs: z.boolean(),
  /** The ID of the checkpoint that the run started from; null for a thread that had none. */
  start: z.string().nullable(),
});
export type SavedRun = z.output<typeof SavedRun>;

/** How a run ended, after its exchanges. */
export const SavedEnd = z.object({
  kind: z.literal('run_end'),
  run_id: z.string(),
  status: z.string(),
  /** Whether the run stopped to ask for an answer; its status is then `success`. */
  waits: z.boolean().optional(),
  /** The nodes that would run next, for example at a breakpoint. */
  next: z.array(z.string()).optional(),
  values: z.unknown(),
  /** Why it failed; files of earlier versions lack this. */
  error: RunError.nullish(),
  /** The nodes of each superstep, by graph (empty for the root, nodes joined by `|` for subgraphs). */
  steps: z.record(z.string(), z.array(z.array(z.string()))),
});
export type SavedEnd = z.output<typeof SavedEnd>;

/** A line of a run file, in JSON. */
export const RunFileLine = z.union([
  RunFileHead,
  SavedRun,
  Exchange,
  ExchangePart,
  SavedEnd,
  z.object({ kind: z.literal('thread'), thread: ArchivedThread }),
  ArchivedRecord,
  z.object({ kind: z.literal('span'), span: JsonObject }),
  z.object({ kind: z.literal('feedback'), feedback: JsonObject }),
  /** The last line: how many lines came before. */
  z.object({ kind: z.literal('end'), lines: z.int() }),
]);
export type RunFileLine = z.output<typeof RunFileLine>;

/** Kinds of lines to read from a run file. */
export type Kinds = ReadonlySet<RunFileLine['kind']>;
