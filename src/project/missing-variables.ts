import { readEnvFile } from './env-file.ts';
import { joinNames } from './join-names.ts';
import { isTracingVariable } from './tracing-variables.ts';

/** The maximum number of variables that are named. */
const MAX_NAMED = 6;

/** Lists the variables of an example env file that are not set in the environment, without those for tracing. */
export function unsetVariables(
  example: string,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.keys(readEnvFile(example, environment).variables).filter(
    (name) => environment[name] === undefined && !isTracingVariable(name),
  );
}

/**
 * Describes a missing env file, and how to create it.
 * @param env its name in langgraph.json.
 * @param example the text of the example beside it, if there is one.
 * @returns undefined when the environment sets all variables of the example
 */
export function missingEnvSentence(
  env: string,
  example: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (example === undefined)
    return `Env file ${env} not found, so its variables are not set: create it, or change 'env'.`;
  const unset = unsetVariables(example, environment);
  if (unset.length === 0) return undefined;
  return `Env file ${env} not found, so ${joinNames(unset, MAX_NAMED)} ${unset.length === 1 ? 'is' : 'are'} not set: copy ${env}.example to ${env} and fill it in.`;
}
