import { z } from 'zod';
import type { RunType } from '../contract/tracing/runs.ts';
import type { Client } from './client.ts';

/** Inputs, outputs and extra fields of a span. */
export interface SpanContent {
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly error?: string | null | undefined;
  readonly extra?: unknown;
  readonly tags?: readonly string[] | null | undefined;
}

const PAGE_SIZE = 100;

/**
 * Reads the contents of a trace's spans, which trees lack.
 * @param options.runType only spans of this type
 * @returns contents by the IDs of spans
 * @throws RequestError
 */
export async function readSpanContents(
  { tracing }: Pick<Client, 'tracing'>,
  traceId: string,
  options: {
    readonly select: readonly (keyof SpanContent)[];
    readonly runType?: RunType;
    readonly signal?: AbortSignal;
  },
): Promise<ReadonlyMap<string, SpanContent>> {
  const { select, runType, signal } = options;
  const contents = new Map<string, SpanContent>();
  let cursor: string | null | undefined;
  do {
    const { runs, cursors } = await tracing.runs.query(
      {
        body: {
          trace: traceId,
          limit: PAGE_SIZE,
          select: ['id', ...select],
          cursor: cursor ?? null,
          ...(runType === undefined ? {} : { run_type: runType }),
        },
      },
      { signal },
    );
    for (const { id, inputs, outputs, error, extra, tags } of runs) {
      if (id !== undefined) contents.set(id, { inputs, outputs, error, extra, tags });
    }
    cursor = cursors.next;
  } while (cursor);
  return contents;
}

const Named = z.object({ ls_model_name: z.string() });
const Invoked = z.union([
  z.object({ model: z.string() }).transform(({ model }) => model),
  z.object({ model_name: z.string() }).transform(({ model_name }) => model_name),
]);
const Extra = z.object({
  metadata: Named.nullish().catch(undefined),
  invocation_params: Invoked.optional().catch(undefined),
});

/** The model that a span called, as tracers report it; undefined where they do not. */
export function modelOf({ extra }: SpanContent): string | undefined {
  const read = Extra.safeParse(extra);
  return read.success ? (read.data.metadata?.ls_model_name ?? read.data.invocation_params) : undefined;
}
