import { z } from 'zod';
import { findProject } from '../../client/find-project.ts';
import { outcomeOf } from '../../client/span-outcome.ts';
import { type ListedTrace, listTraces as list } from '../../client/traces.ts';
import { errorHead } from '../../terms/error-text.ts';
import { dollarsOf } from '../../terms/money.ts';
import { millisecondsBetween } from '../../terms/times.ts';
import { bounded, fitting } from '../bounded.ts';
import { defineTool } from '../tool.ts';

const Trace = z.object({
  id: z.string(),
  name: z.string(),
  outcome: z.enum(['pending', 'success', 'error', 'interrupted', 'cancelled']),
  error: z.string().optional(),
  started_at: z.string().optional(),
  duration_ms: z.number().optional(),
  tokens: z.number().optional(),
  cost: z.number().optional(),
});

export const listTraces = defineTool({
  name: 'list_traces',
  title: 'List Traces',
  description:
    'Lists traces of agent runs, newest first. Begin here to find a run that failed; pass its id to read_trace.',
  effect: 'reads',
  input: z.object({
    project: z.string().optional().describe('Tracing project; that of the open folder by default'),
    only_failed: z.boolean().default(false).describe('Only traces that ended with an error'),
    before: z.string().optional().describe('The next_before of the previous page'),
    limit: z.int().min(1).max(50).default(20),
  }),
  output: z.object({
    project: z.string().optional(),
    traces: z.array(Trace),
    next_before: z.string().optional().describe('To get older traces, pass this as before'),
  }),
  async run(context, { project: name, only_failed, before, limit }) {
    const client = await context.platform();
    const { signal } = context;
    const project =
      name === undefined ? await context.tracingProject() : await findProject(client, name, { signal });
    if (project === undefined) {
      if (name === undefined) return { traces: [] };
      throw new Error(`There is no tracing project '${name}'.`);
    }
    // The time of the last listed trace, and the IDs of the traces with this time that have been listed.
    const [time = '', ...listed] = before?.split('/') ?? [];
    const filter = before === undefined ? undefined : `lte(start_time, ${JSON.stringify(time)})`;
    const found: ListedTrace[] = [];
    const query = { sessionId: project.id, filter, error: only_failed ? true : undefined };
    for await (const trace of list(client, query, { signal, limit: limit + listed.length }))
      if (!listed.includes(trace.id ?? '')) found.push(trace);
    const rows = found.slice(0, limit);
    const traces = fitting(rows.map(rowOf));
    const last = traces.at(-1)?.started_at;
    const isMore = traces.length < rows.length || rows.length === limit;
    if (!isMore || last === undefined) return { project: project.name, traces };
    const atLast = traces.filter((trace) => trace.started_at === last).map(({ id }) => id);
    const next = [last, ...(last === time ? listed : []), ...atLast];
    return { project: project.name, traces, next_before: next.join('/') };
  },
});

function rowOf(trace: ListedTrace): z.input<typeof Trace> {
  const { id = '', name = '', error, start_time, end_time, total_tokens, total_cost } = trace;
  return {
    id,
    name,
    outcome: outcomeOf(trace),
    error: error ? String(bounded(errorHead(error), 300)) : undefined,
    started_at: start_time == null ? undefined : String(start_time),
    duration_ms: millisecondsBetween(start_time, end_time),
    tokens: total_tokens ?? undefined,
    cost: dollarsOf(total_cost),
  };
}
