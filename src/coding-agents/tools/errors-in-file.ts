import path from 'node:path';
import { z } from 'zod';
import { type ErrorPlace, errorFrames } from '../../client/error-frames.ts';
import { outcomeOf, readSpanErrors } from '../../client/span-outcome.ts';
import { readTraceTree } from '../../client/trace-tree.ts';
import { listTraces } from '../../client/traces.ts';
import { samePath } from '../../project/paths.ts';
import { errorHead } from '../../terms/error-text.ts';
import { bounded, fitting } from '../bounded.ts';
import { defineTool } from '../tool.ts';

/** The maximum number of failed traces that are searched. */
const MAX_TRACES = 30;
const MAX_ERROR_CHARS = 500;

const Failure = z.object({
  line: z.int(),
  function: z.string().optional(),
  error: z.string(),
  times: z.int(),
  last_trace_id: z.string(),
  last_at: z.string().optional(),
});

export const errorsInFile = defineTool({
  name: 'errors_in_file',
  title: 'Errors in File',
  description:
    'Lists failures of recent runs that passed through a source file of the project: line, error, how often, and the last trace.',
  effect: 'reads',
  input: z.object({ path: z.string().min(1).describe('Source file, relative to the project or absolute') }),
  output: z.object({
    path: z.string(),
    failures: z.array(Failure),
    total_failures: z.int().describe('More than are listed when the answer would be too long'),
    traces_searched: z.int(),
  }),
  async run(context, { path: wanted }) {
    const client = await context.platform();
    const { signal } = context;
    const folder = await context.folder();
    if (folder === undefined && !path.isAbsolute(wanted))
      throw new Error(`Pass an absolute path instead of '${wanted}': this server has no project folder.`);
    const file = path.resolve(folder ?? '', wanted);
    const project = await context.tracingProject();
    const found = new Map<string, z.input<typeof Failure>>();
    let searched = 0;
    const failed =
      project === undefined
        ? []
        : listTraces(client, { sessionId: project.id, error: true }, { signal, limit: MAX_TRACES });
    for await (const { id, start_time } of failed) {
      if (id === undefined) continue;
      searched++;
      const errors = await readSpanErrors(client, await readTraceTree(client, id, { signal }), { signal });
      for (const [key, { frame, error }] of errorsThrough(file, errors.values())) {
        const known = found.get(key);
        found.set(key, {
          line: frame.line,
          function: frame.name,
          error: String(bounded(errorHead(error), MAX_ERROR_CHARS)),
          times: (known?.times ?? 0) + 1,
          // The latest trace comes first.
          last_trace_id: known?.last_trace_id ?? id,
          last_at: known?.last_at ?? (start_time == null ? undefined : String(start_time)),
        });
      }
    }
    const failures = [...found.values()].sort((a, b) => b.times - a.times || a.line - b.line);
    return {
      path: wanted,
      failures: fitting(failures),
      total_failures: failures.length,
      traces_searched: searched,
    };
  },
});

/**
 * Finds the errors of a trace whose stacks pass through a file. An error that several spans have counts once.
 * @returns the errors, each with its first frame in the file, by line and message
 */
function errorsThrough(
  file: string,
  errors: Iterable<string>,
): ReadonlyMap<string, { readonly frame: ErrorPlace; readonly error: string }> {
  return new Map(
    [...errors]
      .filter((error) => outcomeOf({ error }) === 'error')
      .flatMap((error) => {
        const frame = errorFrames(error).find((one) => samePath(one.file, file));
        return frame === undefined ? [] : [[`${frame.line} ${errorHead(error)}`, { frame, error }]];
      }),
  );
}
