import { z } from 'zod';
import { objectAt } from '../../../../process/objects.ts';
import { parseStored } from '../../../storage/stored-json.ts';

/** The v1 fields of selectable v2 fields. The name of any other v2 field is that of the v1 field in upper case. */
const V1_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['LATENCY_SECONDS', ['start_time', 'end_time']],
  ['IS_ROOT', ['parent_run_id']],
  ['ATTACHMENTS', ['s3_urls']],
  ['ERROR_PREVIEW', ['error']],
  ['PROJECT_ID', ['session_id']],
  ['METADATA', ['extra']],
  ['MANIFEST', ['serialized']],
]);

/** The v1 fields that a v2 selection needs, always with the ID. */
export function fieldsOf(selects: readonly string[] | null | undefined): string[] {
  return ['id', ...(selects ?? []).flatMap((name) => V1_FIELDS.get(name) ?? [name.toLowerCase()])];
}

/** Converts runs from v1 to v2, both as JSON. */
export function toV2Runs(runs: string): string {
  return JSON.stringify(parseStored<Record<string, unknown>[]>(runs).map(toV2Run));
}

/** Converts a run from v1 to v2, which has upper-case values, and different names for some fields. */
export function toV2Run(run: Record<string, unknown>): Record<string, unknown> {
  const { session_id, serialized, run_type, status, s3_urls, ...rest } = run;
  const times = [run.start_time, run.end_time].map((time) =>
    typeof time === 'string' ? Date.parse(time) : Number.NaN,
  );
  const [start = Number.NaN, end = Number.NaN] = times;
  return {
    ...rest,
    ...(session_id === undefined ? {} : { project_id: session_id }),
    ...(serialized === undefined ? {} : { manifest: serialized }),
    ...(typeof run_type === 'string' ? { run_type: run_type.toUpperCase() } : {}),
    ...(typeof status === 'string' ? { status: status.toUpperCase() } : {}),
    ...('parent_run_id' in run ? { is_root: run.parent_run_id === null } : {}),
    ...(run.extra === undefined ? {} : { metadata: objectAt(run, 'extra').metadata ?? {} }),
    ...(Number.isFinite(end - start) ? { latency_seconds: (end - start) / 1000 } : {}),
    ...numbersOf(run),
    ...(s3_urls === undefined ? {} : { attachments: attachmentUrls(s3_urls) }),
  };
}

/** Costs are numbers in this form, and details are under `raw`; missing values are left out. */
function numbersOf(run: Record<string, unknown>): Record<string, unknown> {
  const numbers: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(run)) {
    if (name.endsWith('_cost')) numbers[name] = value === null ? undefined : Number(value);
    else if (name.endsWith('_token_details')) numbers[name] = value === null ? undefined : { raw: value };
    else if (name.endsWith('_cost_details')) {
      const costs = Object.entries(value ?? {}).map(([kind, text]) => [kind, Number(text)]);
      numbers[name] = value === null ? undefined : { raw: Object.fromEntries(costs) };
    }
  }
  return numbers;
}

/** Attachments by their names in v1, `attachment.<name>`. */
const Attachments = z.record(z.string(), z.object({ presigned_url: z.string().optional() }));

function attachmentUrls(s3Urls: unknown): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(Attachments.parse(s3Urls ?? {})).map(([name, { presigned_url }]) => [
      name.replace(/^attachment\./, ''),
      presigned_url,
    ]),
  );
}
