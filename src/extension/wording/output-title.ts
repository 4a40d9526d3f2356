import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { textOf } from '../../terms/messages.ts';
import { readPayload } from '../../terms/payload.ts';
import { parseBeginning } from './parse-beginning.ts';
import { inputTitle, lineOf } from './titles.ts';

const Values = z.record(z.string(), z.unknown());

/** The question that an output answers. It tells which part of the output is the answer. */
interface Asked {
  readonly inputs?: unknown;
  /** The output that was expected. */
  readonly reference?: unknown;
}

/**
 * The words of an output: its last message, else the first text or number in the fields of the expected
 * output, else in fields that differ from the inputs. Graphs return their whole state, in which the question
 * often comes first.
 * @param output a value, or the beginning of one as JSON, as lists of runs have it.
 * @returns a line; undefined if there are no words.
 */
export function outputTitle(output: unknown, { inputs, reference }: Asked = {}): string | undefined {
  const value = typeof output === 'string' ? parseBeginning(output) : output;
  const said = textOf(readPayload(value).messages.at(-1));
  if (said !== '') return lineOf(said);
  const values = Values.safeParse(value).data;
  if (values === undefined) return inputTitle(output);
  return inputTitle(answerIn(values, inputs, Values.safeParse(reference).data ?? {}));
}

function answerIn(
  values: Readonly<Record<string, unknown>>,
  inputs: unknown,
  reference: Readonly<Record<string, unknown>>,
): unknown {
  const given = Values.safeParse(inputs).data ?? {};
  const pick = (wanted: (key: string, value: unknown) => boolean) =>
    Object.fromEntries(Object.entries(values).filter(([key, value]) => wanted(key, value)));
  const isNew = (key: string, value: unknown) => !isDeepStrictEqual(value, given[key]);
  const choices = [pick((key, value) => key in reference && isNew(key, value)), pick(isNew)];
  return choices.find((choice) => Object.keys(choice).length > 0) ?? values;
}
