import { inputTitle } from './input-title.ts';

/** The fields of an example that name it. */
interface NamedExample {
  readonly name?: string | undefined;
  readonly inputs?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The name that a file gives an example, else its first words, else the name that the platform generated. */
export function exampleTitle({ name, inputs, metadata }: NamedExample): string | undefined {
  const given = metadata?.name;
  if (typeof given === 'string' && given.trim() !== '') return given;
  return inputTitle(inputs) ?? name;
}
