import Papa from 'papaparse';
import type { Client } from '../client/client.ts';
import { listExamples } from '../client/examples.ts';
import { ExampleFileError } from './example-file-error.ts';

/**
 * Exports the examples of a dataset as the platform's CSV, optionally of one version, or of some splits.
 * @returns the platform's own bytes, or a text without the rows of other splits if splits are given
 * @throws RequestError; ExampleFileError when the platform does not say which example a row is
 */
export async function exportCsv(
  client: Pick<Client, 'datasets' | 'examples'>,
  datasetId: string,
  filter: { readonly as_of?: string; readonly splits?: string[] },
  options: { readonly signal?: AbortSignal } = {},
): Promise<string | Uint8Array> {
  const { splits, ...version } = filter;
  const { bytes } = await client.datasets.exportCsv(
    { params: { dataset_id: datasetId }, query: version },
    options,
  );
  if (splits === undefined) return bytes;
  // Platforms always write all splits.
  const ids = new Set<string | undefined>();
  for await (const { id } of listExamples(client, datasetId, { filter, ...options })) ids.add(id);
  const text = new TextDecoder().decode(bytes);
  const { data, meta } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
  const { fields = [] } = meta;
  if (!fields.includes('id'))
    throw new ExampleFileError(
      'The platform does not write the ids of examples to CSV. Show all splits, or choose another format.',
    );
  // The platform has already escaped formulas in cells, so they are not escaped again.
  return `${Papa.unparse({ fields, data: data.filter(({ id }) => ids.has(id)) })}\r\n`;
}
