import type { ExampleCreate } from '../../../contract/datasets/examples.ts';
import { invalid, notFound } from '../../http/errors.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { StoredPayloads } from '../database/stored-payloads.ts';
import type { PayloadPlace } from '../database/traces-schema.ts';
import { runRows } from '../query/run-json.ts';
import type { ExampleFile } from './example-attachments.ts';

/**
 * Reads the inputs, outputs and attachments of the run from which an example is created; undefined for other examples.
 * @throws HttpError 404 for a missing run, 422 for a missing attachment.
 */
export function readSource(context: WriterContext, workspace: number, example: ExampleCreate) {
  if (!example.source_run_id || !(example.use_source_run_io || example.use_source_run_attachments))
    return undefined;
  const { db, blobs } = context;
  const run = db.get(
    runRows(context).where('runs.id', '=', example.source_run_id).where('runs.workspace', '=', workspace),
  );
  if (run === undefined) throw notFound('Run', example.source_run_id);
  const { inputs, outputs } = parseStored(run.payloads);
  const payloads = new StoredPayloads(db, blobs);
  const read = (place: PayloadPlace | undefined) => place && payloads.readJson(place);
  const wanted = example.use_source_run_attachments;
  const files = wanted ? attachmentsOf(context, run.key, wanted) : [];
  return {
    inputs: example.use_source_run_io ? (read(inputs) ?? {}) : undefined,
    outputs: example.use_source_run_io ? read(outputs) : undefined,
    files,
  };
}

/**
 * The stored attachments of a run: all of them, or those with the given names. Of all, those whose bytes cannot be read
 * are left out.
 * @throws HttpError 422 naming an attachment that the run does not have
 */
function attachmentsOf(
  { db, blobs }: WriterContext,
  run: number,
  wanted: true | readonly string[],
): ExampleFile[] {
  const rows = db.all(db.build.selectFrom('attachments').selectAll().where('run', '=', run));
  const files = rows.flatMap(({ name, content_type: contentType, data, blob }) => {
    if (wanted !== true && !wanted.includes(name)) return [];
    const bytes = data ?? (blob === null ? undefined : blobs.read(blob));
    return bytes === undefined ? [] : [{ name, contentType, data: bytes }];
  });
  const missing =
    wanted === true ? undefined : wanted.find((name) => files.every((file) => file.name !== name));
  if (missing !== undefined) {
    throw invalid(
      ['body', 'use_source_run_attachments'],
      `The source run has no attachment '${missing}'.`,
      'missing',
    );
  }
  return files;
}
