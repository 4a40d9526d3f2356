import { ExampleFileError } from './example-file-error.ts';

/** The formats of example files. The format of a tool is named after the tool. */
export const EXAMPLE_FORMATS = ['csv', 'jsonl', 'promptfoo', 'adk', 'inspect'] as const;
export type ExampleFormat = (typeof EXAMPLE_FORMATS)[number];

/** The endings of file names, longest first. The name of a JSON file does not show which tool it is for. */
const ENDINGS: readonly (readonly [RegExp, ExampleFormat])[] = [
  [/\.evalset\.json$/i, 'adk'],
  [/\.ya?ml$/i, 'promptfoo'],
  [/\.jsonl$/i, 'jsonl'],
  [/\.csv$/i, 'csv'],
];

/** @returns the format that the file's name shows; undefined when it shows none */
export function formatOfName(file: string): ExampleFormat | undefined {
  return ENDINGS.find(([ending]) => ending.test(file))?.[1];
}

/** @returns the name for the dataset of a file: the file's name without its ending */
export function nameOfFile(file: string): string {
  return file.replace(/\.evalset\.json$/i, '').replace(/(?<=.)\.[^.]+$/, '');
}

/**
 * @param format the format that the user chose, if any
 * @returns the chosen format, else the one that the file's name shows
 * @throws ExampleFileError when none was chosen and the name shows none
 */
export function formatOf(file: string, format: ExampleFormat | undefined): ExampleFormat {
  const found = format ?? formatOfName(file);
  if (found !== undefined) return found;
  const names = `${EXAMPLE_FORMATS.slice(0, -1).join(', ')} or ${EXAMPLE_FORMATS.at(-1)}`;
  throw new ExampleFileError(`The format of '${file}' is unknown. Pass --format with ${names}.`, {
    isUsage: true,
  });
}
