import { ExampleFileError } from './example-file-error.ts';

/** The formats of example files; a tool's own format has the name of the tool. */
export const EXAMPLE_FORMATS = ['csv', 'jsonl', 'promptfoo', 'adk', 'inspect'] as const;
export type ExampleFormat = (typeof EXAMPLE_FORMATS)[number];

/** The endings of file names, longest first. The name of a JSON file does not say which tool it is for. */
const ENDINGS: readonly (readonly [RegExp, ExampleFormat])[] = [
  [/\.evalset\.json$/i, 'adk'],
  [/\.ya?ml$/i, 'promptfoo'],
  [/\.jsonl$/i, 'jsonl'],
  [/\.csv$/i, 'csv'],
];

/** @returns undefined when the name of the file does not say it */
export function formatOfName(file: string): ExampleFormat | undefined {
  return ENDINGS.find(([ending]) => ending.test(file))?.[1];
}

/** The name of a file without the ending of its format: the name of its dataset. */
export function nameOfFile(file: string): string {
  return file.replace(/\.evalset\.json$/i, '').replace(/(?<=.)\.[^.]+$/, '');
}

/** @throws ExampleFileError when neither the name of the file nor the given format says it */
export function formatOf(file: string, format: ExampleFormat | undefined): ExampleFormat {
  const found = format ?? formatOfName(file);
  if (found !== undefined) return found;
  const names = `${EXAMPLE_FORMATS.slice(0, -1).join(', ')} or ${EXAMPLE_FORMATS.at(-1)}`;
  throw new ExampleFileError(`The format of '${file}' is unknown. Pass --format with ${names}.`, {
    isUsage: true,
  });
}
