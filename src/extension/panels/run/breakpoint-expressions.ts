import { Environment } from '@marcbachmann/cel-js';
import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../process/message-of.ts';

/**
 * Expressions of breakpoints are CEL (https://cel.dev): they always end, and have access to nothing but their
 * variables. They are never run as code.
 */
const environment = new Environment({
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxDepth: 50, maxAstNodes: 1_000 },
})
  .registerVariable('state', 'map')
  .registerVariable('next', 'list');

/** The variables of an expression, which describe where a run has stopped. */
export interface StopVariables {
  /** The values of the state. */
  readonly state: unknown;
  /** The nodes that would run next. */
  readonly next: readonly string[];
}

/** Why an expression cannot be used, in one line; `undefined` when it can. */
export function problemOf(expression: string): string | undefined {
  try {
    const { valid, error } = environment.parse(expression).check();
    return valid ? undefined : firstLine(error);
  } catch (error) {
    return firstLine(error);
  }
}

/** Whether a condition is true. @throws Error that says in one line why it could not be evaluated */
export function isTrue(condition: string, stop: StopVariables): boolean {
  const value = evaluate(condition, stop);
  if (typeof value !== 'boolean') throw new Error(l10n.t('{0} must be true or false.', textOf(value)));
  return value;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** A log message with its expressions in braces replaced by their values. */
export function logText(message: string, stop: StopVariables): string {
  return message.replaceAll(PLACEHOLDER, (_, expression: string) => {
    try {
      return textOf(evaluate(expression, stop));
    } catch (error) {
      return `{${firstLine(error)}}`;
    }
  });
}

/** Why a log message cannot be used, in one line; `undefined` when it can. */
export function problemOfLog(message: string): string | undefined {
  for (const [, expression = ''] of message.matchAll(PLACEHOLDER)) {
    const problem = problemOf(expression);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function evaluate(expression: string, { state, next }: StopVariables): unknown {
  try {
    return environment.parse(expression)({ state: withIntegers(state), next });
  } catch (error) {
    throw new Error(firstLine(error));
  }
}

/**
 * Converts whole numbers to integers of CEL, which JSON does not distinguish from other numbers: in
 * `state.count + 1`, both must be integers.
 */
function withIntegers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withIntegers(item)]));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return (
    JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item)) ?? 'null'
  );
}

/**
 * The first line of an error's message. The lines after it mark the position in the expression, and are left
 * out.
 */
function firstLine(error: unknown): string {
  const [line = ''] = messageOf(error).split('\n', 1);
  return line === 'Unexpected token: EOF' ? l10n.t('The expression is incomplete.') : line;
}
