import { type Schema, Validator } from '@cfworker/json-schema';
import { withoutRemoteReferences } from '../../../contract/datasets/remote-references.ts';
import { messageOf } from '../../../process/message-of.ts';
import { invalid } from '../../http/errors.ts';
import type { TracesDatabase } from '../database/traces-database.ts';

type Side = 'inputs' | 'outputs';

/**
 * The JSON schemas of the datasets in a request. They are interpreted, never compiled to code, because the holder of
 * any key can write them.
 */
export class ExampleSchemas {
  readonly #db: TracesDatabase;
  readonly #known = new Map<number, Record<Side, Validator | undefined>>();

  constructor(db: TracesDatabase) {
    this.#db = db;
  }

  /**
   * Checks an example against the schemas of its dataset.
   * @param example inputs and outputs are JSON text; the ID is for the error.
   * @throws HttpError 422 naming the invalid field.
   */
  check(dataset: number, example: { id: string; inputs: string | null; outputs: string | null }): void {
    const validators = this.#of(dataset);
    for (const side of ['inputs', 'outputs'] as const) {
      const validator = validators[side];
      const text = example[side];
      if (validator === undefined || text === null) continue;
      const problem = tryOut(() => validator, JSON.parse(text), `${side}_schema_definition`);
      if (problem === undefined) continue;
      const loc = ['body', side, ...problem.path];
      throw invalid(
        loc,
        `Example '${example.id}' does not match the dataset's ${side} schema: ${problem.text}`,
        'json_schema',
      );
    }
  }

  #of(dataset: number): Record<Side, Validator | undefined> {
    const known = this.#known.get(dataset);
    if (known !== undefined) return known;
    const row = this.#db
      .statement('SELECT inputs_schema, outputs_schema FROM datasets WHERE key = ?')
      .get(dataset);
    const validators = {
      inputs: validatorOf(row?.inputs_schema),
      outputs: validatorOf(row?.outputs_schema),
    };
    this.#known.set(dataset, validators);
    return validators;
  }
}

/** Checks a schema by trying it out. @throws HttpError 422 for a schema that could never validate an example. */
export function checkSchema(schema: object | null | undefined, field: string): void {
  if (schema) tryOut(() => makeValidator(schema), {}, field);
}

/** Validates a value. @returns the problem, if any. @throws HttpError 422 if the schema itself is invalid. */
function tryOut(makeOrGet: () => Validator, value: unknown, field: string) {
  try {
    return problemIn(makeOrGet(), value);
  } catch (error) {
    const reason = messageOf(error);
    throw invalid(
      ['body', field],
      `The dataset's ${field} is not a valid JSON schema: ${reason}`,
      'json_schema',
    );
  }
}

function validatorOf(text: unknown): Validator | undefined {
  return typeof text === 'string' ? makeValidator(JSON.parse(text)) : undefined;
}

function makeValidator(schema: object): Validator {
  return new Validator(withoutRemoteReferences(schema) as Schema, '2020-12', false);
}

function problemIn(validator: Validator, value: unknown): { path: string[]; text: string } | undefined {
  const { valid, errors } = validator.validate(value);
  if (valid) return undefined;
  // The innermost error comes last: earlier ones only say that the enclosing value is invalid.
  const innermost = errors.at(-1);
  const path = (innermost?.instanceLocation ?? '#').split('/').slice(1);
  return { path: path.map(unescapePointer), text: innermost?.error ?? 'it does not match.' };
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
