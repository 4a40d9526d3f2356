import { dump } from 'js-yaml';
import { z } from 'zod';
import { JsonObject } from '../contract/fields.ts';
import { loadYaml } from '../process/load-yaml.ts';
import { messageOf } from '../process/message-of.ts';
import { ExampleFileError } from './example-file-error.ts';
import { type FileExample, onlyText, ownFields, present, withoutOwn } from './file-example.ts';
import { readDocument } from './read-document.ts';

/**
 * Reads and writes promptfoo's test cases. `vars` are the inputs of an example, and the value that an `equals`
 * assertion expects is its outputs. All other fields are kept in the metadata, under `promptfoo`, for the export.
 */

const Assertion = z.looseObject({ type: z.string() });
const TestCase = z.looseObject({
  vars: JsonObject.optional(),
  assert: z.array(Assertion).optional(),
  metadata: JsonObject.optional(),
  options: JsonObject.nullish(),
});
type TestCase = z.output<typeof TestCase>;

const Entry = z.union([z.string(), TestCase]);
const Config = z.looseObject({
  tests: z.union([z.string(), z.array(Entry)]),
  defaultTest: z.union([z.string(), TestCase]).optional(),
});
const File = z.union([z.array(Entry), Config]);

/** The output field for an expected value that is not an object. */
const ANSWER = 'answer';

/**
 * Reads the test cases of a configuration, or of a file of tests.
 * @throws ExampleFileError when the text is not such a file in YAML, or its tests are in other files
 */
export function readPromptfoo(text: string): FileExample[] {
  const file = readDocument(parseYaml(text), File, "promptfoo's tests");
  const [tests, shared] = Array.isArray(file) ? [file, undefined] : [file.tests, file.defaultTest];
  if (typeof tests === 'string') throw elsewhere(tests);
  if (typeof shared === 'string') throw elsewhere(shared);
  return tests.map((test) => {
    if (typeof test === 'string') throw elsewhere(test);
    return toExample(test, shared);
  });
}

/** Writes a file of tests, which a configuration names with `tests: file://…`. */
export function writePromptfoo(examples: readonly FileExample[]): string {
  return dump(examples.map(toTestCase), { lineWidth: -1, noRefs: true });
}

function toExample(test: TestCase, shared: TestCase = {}): FileExample {
  const { vars, assert = [], metadata, ...rest } = withDefaults(test, shared);
  const expected = assert.find(({ type }) => type === 'equals');
  const own = present({ ...rest, assert: assert.length === 0 ? undefined : assert });
  const kept = { ...metadata, ...(Object.keys(own).length > 0 && { promptfoo: own }) };
  return {
    inputs: { ...vars },
    outputs: expected === undefined ? null : outputsOf(expected.value),
    metadata: Object.keys(kept).length === 0 ? null : kept,
  };
}

/**
 * Gives a test what it has from the default test: all assertions, and the variables, metadata, options and other fields
 * that it does not have itself.
 */
function withDefaults(test: TestCase, shared: TestCase): TestCase {
  const options = shared.options || test.options ? { ...shared.options, ...test.options } : undefined;
  return {
    ...shared,
    ...test,
    vars: { ...shared.vars, ...test.vars },
    assert: [...(shared.assert ?? []), ...(test.assert ?? [])],
    metadata: { ...shared.metadata, ...test.metadata },
    options,
  };
}

/** An expected value as outputs; one that is not an object becomes the field `answer`. */
function outputsOf(value: unknown): FileExample['outputs'] {
  return JsonObject.safeParse(value).data ?? { [ANSWER]: value };
}

function toTestCase({ inputs, outputs, metadata }: FileExample): unknown {
  const { assert, options, ...own } = ownFields(metadata, 'promptfoo');
  // promptfoo makes a test case of each value of a list.
  const isList = Object.values(inputs).some(Array.isArray);
  const wanted = isList ? { ...toObject(options), disableVarExpansion: true } : options;
  return present({
    ...own,
    vars: inputs,
    assert: expecting(z.array(Assertion).catch([]).parse(assert), outputs),
    options: wanted,
    metadata: withoutOwn(metadata, 'promptfoo'),
  });
}

/** Returns the imported assertions, with the first `equals` updated, or added, to expect the outputs. */
function expecting(before: readonly z.output<typeof Assertion>[], outputs: FileExample['outputs']) {
  if (outputs === null) return before.length === 0 ? undefined : before;
  const value = onlyText(outputs) ?? outputs;
  const expected = before.find(({ type }) => type === 'equals');
  if (expected === undefined) return [...before, { type: 'equals', value }];
  return before.map((assertion) => (assertion === expected ? { ...assertion, value } : assertion));
}

function toObject(value: unknown): z.output<typeof JsonObject> {
  return JsonObject.catch({}).parse(value);
}

function elsewhere(place: string): ExampleFileError {
  return new ExampleFileError(`The tests are in '${place}', which is not read from here. Import that file.`);
}

function parseYaml(text: string): unknown {
  try {
    return loadYaml(text);
  } catch (error) {
    const reason = messageOf(error);
    throw new ExampleFileError(`The file is not valid YAML: ${reason}`);
  }
}
