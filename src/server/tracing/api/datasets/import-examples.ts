import Papa from 'papaparse';
import { withoutApostrophe } from '../../../../contract/datasets/csv-cells.ts';
import { ExampleCreate } from '../../../../contract/datasets/examples.ts';
import { isObject } from '../../../../process/objects.ts';
import { HttpError, invalid, validationIssues } from '../../../http/errors.ts';
import type { NewExample } from '../../datasets/write-examples.ts';

/** The columns of a file that become parts of examples. */
interface ImportKeys {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly metadata: readonly string[];
}

/**
 * Converts the rows of a file to examples. In a CSV file, the columns of the inputs must be named. JSON lines may be
 * whole examples (`{"inputs": …, "outputs": …, "metadata": …}`), or flat rows as in a CSV file.
 * @throws HttpError 422 naming the invalid row.
 */
export function importExamples(
  text: string,
  format: 'csv' | 'jsonl',
  keys: ImportKeys,
  datasetId: string,
): NewExample[] {
  return (format === 'csv' ? csvRows(text, keys) : jsonRows(text)).map((row, at) => {
    if (isObject(row.inputs)) return wholeExample(row, at + 1, datasetId);
    if (keys.inputs.length === 0) {
      throw invalid(['body', 'input_keys'], 'Set input_keys to the columns that are inputs.', 'missing');
    }
    for (const key of keys.inputs) {
      if (!Object.hasOwn(row, key))
        throw invalid(['body', 'file', at + 1], `Row ${at + 1} has no '${key}'.`, 'missing');
    }
    return {
      dataset_id: datasetId,
      inputs: pick(row, keys.inputs),
      outputs: keys.outputs.length === 0 ? null : pick(row, keys.outputs),
      metadata: keys.metadata.length === 0 ? null : pick(row, keys.metadata),
    };
  });
}

type Row = Record<string, unknown>;

function csvRows(text: string, keys: ImportKeys): Row[] {
  const { data, errors, meta } = Papa.parse<Row>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transform: withoutApostrophe,
  });
  // A file with a single column has no delimiter that could be detected.
  const error = errors.find(({ type }) => type !== 'Delimiter');
  if (error !== undefined) {
    throw invalid(
      ['body', 'file', (error.row ?? 0) + 1],
      `Row ${(error.row ?? 0) + 1}: ${error.message}`,
      'csv',
    );
  }
  const columns = meta.fields ?? [];
  for (const [kind, names] of Object.entries(keys)) {
    const missing = names.find((name: string) => !columns.includes(name));
    if (missing !== undefined) {
      const content = columns.length === 0 ? 'it is empty' : `it has ${columns.join(', ')}`;
      throw invalid(
        ['body', `${kind.replace(/s$/, '')}_keys`],
        `The file has no column '${missing}'; ${content}.`,
        'missing',
      );
    }
  }
  return data;
}

function jsonRows(text: string): Row[] {
  return text.split('\n').flatMap((line, at): Row[] => {
    if (line.trim() === '') return [];
    try {
      const parsed: unknown = JSON.parse(line);
      if (isObject(parsed)) return [parsed];
    } catch {
      // The error is thrown below.
    }
    throw invalid(['body', 'file', at + 1], `Line ${at + 1} is not a JSON object.`, 'json_invalid');
  });
}

function wholeExample({ inputs, outputs, metadata }: Row, number: number, datasetId: string): NewExample {
  const parsed = ExampleCreate.safeParse({
    dataset_id: datasetId,
    inputs,
    outputs: outputs ?? null,
    metadata: metadata ?? null,
  });
  if (parsed.success) return parsed.data;
  const issues = validationIssues(parsed.error, 'body');
  throw new HttpError(
    422,
    issues.map(({ loc: [source = 'body', ...rest], msg, type }) => ({
      loc: [source, 'file', number, ...rest],
      msg: `Row ${number}: ${rest.join('.')}: ${msg}`,
      type,
    })),
  );
}

function pick(row: Row, keys: readonly string[]): Row {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(row, key)).map((key) => [key, row[key]]));
}
