import { z } from 'zod';
import { RunType } from '../contract/tracing/runs.ts';
import { isObject } from '../process/objects.ts';
import { TraceFileError } from './trace-file-error.ts';

/** The fields that are imported; the others are sums, links, and storage locations. */
const IMPORTED_FIELDS = [
  'id',
  'name',
  'run_type',
  'start_time',
  'end_time',
  'inputs',
  'outputs',
  'error',
  'extra',
  'events',
  'tags',
  'serialized',
  'parent_run_id',
  'trace_id',
  'dotted_order',
  'first_token_time',
];

const Run = z.looseObject({
  id: z.string(),
  run_type: z.string(),
  start_time: z.union([z.string(), z.number()]),
  trace_id: z.string(),
  dotted_order: z.string(),
});

/** A run as the platform accepts it. */
export type PostedRun = z.output<typeof Run>;

/** Whether a value is a run, with or without descendants. */
export function isRun(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value.run_type === 'string' && 'start_time' in value && 'id' in value;
}

/**
 * Reads a run from LangSmith's API or SDKs, and its descendants.
 * @throws TraceFileError that names the field
 */
export function readRuns(value: Record<string, unknown>, place: string): PostedRun[] {
  const run = Run.safeParse(
    Object.fromEntries(IMPORTED_FIELDS.flatMap((name) => (value[name] == null ? [] : [[name, value[name]]]))),
  );
  if (!run.success) {
    const [issue] = run.error.issues;
    throw new TraceFileError(
      `${place} is not a run with its place in a trace: ${issue?.path.join('.')}: ${issue?.message}.`,
    );
  }
  // Types that the platform does not know become chains.
  const kind = RunType.safeParse(run.data.run_type);
  const below: unknown[] = Array.isArray(value.child_runs) ? value.child_runs : [];
  return [
    withUsage({ ...run.data, run_type: kind.success ? kind.data : 'chain' }, value),
    ...below.flatMap((child, at) => {
      const where = `${place}, child_runs.${at}`;
      if (!isObject(child) || !isRun(child)) throw new TraceFileError(`${where} is not a run.`);
      return readRuns(child, where);
    }),
  ];
}

/** Adds the tokens that LangSmith counted, if the run's own fields have none. */
function withUsage(run: PostedRun, exported: Record<string, unknown>): PostedRun {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = exported;
  const isCall = run.run_type === 'llm' || run.run_type === 'embedding';
  if (!isCall || typeof total !== 'number' || total === 0) return run;
  const extra = isObject(run.extra) ? run.extra : {};
  const metadata = isObject(extra.metadata) ? extra.metadata : {};
  if (/"(?:usage_metadata|token_usage|usage)":/.test(JSON.stringify([run.outputs, metadata]))) return run;
  const usage = { input_tokens: input ?? 0, output_tokens: output ?? 0, total_tokens: total };
  return { ...run, extra: { ...extra, metadata: { ...metadata, usage_metadata: usage } } };
}
