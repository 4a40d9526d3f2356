import assert from 'node:assert/strict';
import { getLanguageService } from 'vscode-json-languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { exampleText } from '../../../src/extension/datasets/example-document.ts';
import {
  definitionOf,
  type ExampleSchemas,
  exampleDocumentSchema,
  hasSchema,
} from '../../../src/extension/datasets/example-schema.ts';
import { exampleSchemaUrl } from '../../../src/extension/datasets/example-schema-address.ts';

/** Both sides have a definition of the same name, as schemas that are generated have. */
const dataset: ExampleSchemas = {
  inputs_schema_definition: {
    type: 'object',
    required: ['question'],
    properties: { question: { $ref: '#/$defs/Text' }, tags: { $ref: 'https://example.org/tags.json' } },
    $defs: { Text: { type: 'string' } },
  },
  outputs_schema_definition: {
    type: 'object',
    properties: { answer: { $ref: '#/$defs/Text' } },
    $defs: { Text: { type: 'integer' } },
  },
};
const address = { connection: 'local', datasetId: 'd1' };
const documents = new Map<string, unknown>([
  [
    exampleSchemaUrl(address),
    exampleDocumentSchema(dataset, (side) => exampleSchemaUrl({ ...address, side })),
  ],
  ...(['inputs', 'outputs'] as const).map(
    (side) => [exampleSchemaUrl({ ...address, side }), definitionOf(dataset, side)] as const,
  ),
]);

/** The findings of VS Code's JSON support in the text of an example, and its requests for schemas. */
async function check(text: string): Promise<{ problems: string[]; requested: string[] }> {
  const requested: string[] = [];
  const service = getLanguageService({
    schemaRequestService: async (url) => {
      requested.push(url);
      return JSON.stringify(documents.get(url) ?? assert.fail(`${url} was requested.`));
    },
  });
  const document = TextDocument.create('agent-harbor-example:/a.json', 'json', 1, text);
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  return {
    problems: found.map(({ message }) => (typeof message === 'string' ? message : message.value)),
    requested,
  };
}

const textOf = (fields: Parameters<typeof exampleText>[0]) => exampleText(fields, exampleSchemaUrl(address));

describe('the schema of the document of an example', () => {
  it('accepts what fits the dataset, even without expected outputs', async () => {
    const fitting = textOf({ inputs: { question: 'Why?', tags: 1 }, outputs: { answer: 1 }, metadata: null });
    const { problems, requested } = await check(fitting);
    assert.deepEqual(problems, []);
    assert.ok(requested.length > 0);
    assert.ok(requested.every((url) => url.startsWith('agent-harbor:')));
    assert.deepEqual((await check(textOf({ inputs: { question: 'Why?' } }))).problems, []);
  });

  it('reports what does not fit, with separate definitions for inputs and outputs', async () => {
    const { problems } = await check(textOf({ inputs: { question: 1 }, outputs: { answer: 'So.' } }));
    assert.deepEqual(problems, ['Incorrect type. Expected "string".', 'Incorrect type. Expected "integer".']);
    assert.deepEqual((await check(textOf({ inputs: {} }))).problems, ['Missing property "question".']);
  });

  it('says which properties an example has', async () => {
    const text = textOf({ inputs: { question: 'Why?' } }).replace('"outputs"', '"output"');
    assert.deepEqual((await check(text)).problems, ['Property output is not allowed.']);
  });

  it('exists only when the dataset has one', () => {
    assert.ok(hasSchema(dataset));
    assert.ok(!hasSchema({ inputs_schema_definition: null }));
    assert.ok(!exampleText({ inputs: {} }).includes('$schema'));
  });
});
