import path from 'node:path';
import { z } from 'zod';
import { type DatasetFile, parseDatasetFile } from '../../evaluation/dataset-file.ts';
import { ExampleFileError } from '../../example-files/example-file-error.ts';
import type { FileExample } from '../../example-files/file-example.ts';
import { nameOfFile } from '../../example-files/format.ts';
import { readPromptfoo } from '../../example-files/promptfoo.ts';
import { Failure } from '../terminal/failure.ts';

const Described = z.looseObject({ promptfoo: z.looseObject({ description: z.string().min(1) }) });

/**
 * Reads a promptfoo file with tests as a dataset with default settings. The line of an example is the number of its test.
 * @throws Failure when the file is not valid YAML, or its tests are in other files
 */
export function parsePromptfooFile(file: string, text: string): DatasetFile {
  const lines = readTests(file, text).map((example) => JSON.stringify(toLine(example)));
  return { ...parseDatasetFile(file, lines.join('\n')), name: nameOfFile(path.basename(file)) };
}

function readTests(file: string, text: string): FileExample[] {
  try {
    return readPromptfoo(text);
  } catch (error) {
    if (error instanceof ExampleFileError) throw new Failure(`${file}: ${error.message}`);
    throw error;
  }
}

function toLine(example: FileExample): object {
  const name = Described.safeParse(example.metadata).data?.promptfoo.description;
  return { ...example, ...(name !== undefined && { name }) };
}
