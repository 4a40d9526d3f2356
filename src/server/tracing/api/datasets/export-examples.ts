import Papa from 'papaparse';
import { FORMULA } from '../../../../contract/datasets/csv-cells.ts';
import type { Example } from '../../../../contract/datasets/examples.ts';

/** Exports examples with the columns `input.<key>` and `output.<key>`; anything but text is written as JSON. */
export function exportCsv(examples: readonly Example[]): string {
  const rows = examples.map((example) => ({
    id: example.id,
    ...addPrefix('input', example.inputs),
    ...addPrefix('output', example.outputs),
    metadata: JSON.stringify(example.metadata ?? {}),
  }));
  const columns = rows.length === 0 ? ['id', 'metadata'] : rows.flatMap((row) => Object.keys(row));
  return `${Papa.unparse({ fields: [...new Set(columns)], data: rows }, { escapeFormulae: FORMULA })}\r\n`;
}

/** Exports one example per line, as `{id, inputs, outputs, metadata}`; the result can be imported again. */
export function exportJsonl(examples: readonly Example[]): string {
  return examples
    .map(({ id, inputs, outputs, metadata }) => `${JSON.stringify({ id, inputs, outputs, metadata })}\n`)
    .join('');
}

function addPrefix(
  prefix: string,
  values: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([key, value]) => [
      `${prefix}.${key}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}
