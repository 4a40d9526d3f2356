import path from 'node:path';
import { configuredGraphs } from '../config-document.ts';
import { type Problem, rangeOfPlace } from '../problem.ts';
import { splitReference } from '../reference.ts';
import type { CheckInput } from './check-input.ts';
import { fileOfPlace } from './check-references.ts';

/** A syntax error in a source file, counted from 1. */
export interface SyntaxProblem {
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
  readonly message: string;
}

/** Finds syntax errors without running the files. Files in other languages are ignored. */
type SyntaxParser = (files: readonly string[]) => Promise<readonly SyntaxProblem[]>;

/** Finds syntax errors in the sources of graphs. */
export async function checkSources(input: CheckInput, parse: SyntaxParser): Promise<Problem[]> {
  const places = configuredGraphs(input.config).flatMap(({ reference }) =>
    reference === undefined ? [] : [splitReference(reference.value).place],
  );
  const found = await Promise.all(places.map((place) => fileOfPlace(input, place)));
  const files = [...new Set(found.filter((file) => file !== undefined))];
  return Promise.all(
    (await parse(files)).map(async ({ file, line, column, message }): Promise<Problem> => {
      const place = path.resolve(file);
      const range = rangeOfPlace(await input.files.read(place), line, column);
      return { file: place, range, severity: 'error', code: 'syntax', message };
    }),
  );
}
