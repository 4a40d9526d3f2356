import type { Problem } from '../problem.ts';
import { checkDependencies } from './check-dependencies.ts';
import { checkEnv } from './check-env.ts';
import type { CheckInput } from './check-input.ts';
import { checkLanguages } from './check-languages.ts';
import { checkLoading } from './check-loading.ts';
import { checkReferences } from './check-references.ts';
import { checkSchema } from './check-schema.ts';

/** An additional check, for some callers only. */
export type FurtherCheck = (input: CheckInput) => Promise<readonly Problem[]>;

/**
 * Runs all checks of a langgraph.json and the files that it refers to.
 * @returns the problems of langgraph.json, then those of other files, in the order of their positions
 */
export async function checkProject(
  input: CheckInput,
  further: readonly FurtherCheck[] = [],
): Promise<Problem[]> {
  const schema = checkSchema(input.config);
  // The rest is checked only if the file parses.
  if (schema.some(({ code }) => code === 'syntax')) return schema;
  const found = [
    ...schema,
    ...checkLanguages(input),
    ...(await checkReferences(input)),
    ...(await checkEnv(input)),
    ...(await checkDependencies(input)),
    ...(await Promise.all(further.map((check) => check(input)))).flat(),
  ];
  const all = [...found, ...(await checkLoading(input, found))];
  const rank = ({ file }: Problem) => (file === input.config.file ? 0 : 1);
  return all.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      a.file.localeCompare(b.file) ||
      a.range.start.line - b.range.start.line ||
      a.range.start.character - b.range.start.character,
  );
}
