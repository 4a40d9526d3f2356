import assert from 'node:assert/strict';
import type { Schema } from '@cfworker/json-schema';
import type { JsonObject } from '../../../src/contract/fields.ts';
import {
  assistantText,
  changesOf,
  parseAssistant,
} from '../../../src/extension/assistants/assistant-document.ts';
import { documentSchema } from '../../../src/extension/assistants/assistant-schema.ts';
import { checkContext } from '../../../src/extension/assistants/check-context.ts';

const assistant = {
  name: 'brief',
  description: null,
  context: { max_passages: 1 },
  config: {},
  metadata: { team: 'docs' },
};

describe("an assistant's document", () => {
  it('shows the editable fields, and changes nothing when it is saved unchanged', () => {
    const text = assistantText(assistant, 'schema:/x.json');
    assert.deepEqual(JSON.parse(text), { $schema: 'schema:/x.json', ...assistant, description: '' });
    assert.deepEqual(changesOf(assistant, parseAssistant(text)), {});
  });

  it('sends only changed fields, with context and config as a whole', () => {
    const text = '{"name": "brief", "description": "Short", "context": {}, "metadata": {"team": "docs"}}';
    assert.deepEqual(changesOf(assistant, parseAssistant(text)), { description: 'Short', context: {} });
  });

  it('is refused with the line or the field that is wrong', () => {
    assert.throws(
      () => parseAssistant('{\n  "name": \n}'),
      /^Error: Line 3 is not valid JSON\. The Problems view/,
    );
    assert.throws(() => parseAssistant('{"name": ""}'), /“name”: Enter a name/);
    assert.throws(() => parseAssistant('{"name": "a", "context": 1}'), /“context”: /);
    assert.throws(() => parseAssistant('{"name": "a", "graph": "b"}'), /^Error: .*"graph"/);
  });

  it('is refused with the field of the context that the graph would not accept', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        limits: { type: 'object', properties: { passages: { type: 'integer' } } },
        tone: { $ref: '#/$defs/Tone' },
      },
      required: ['tone'],
      additionalProperties: false,
      $defs: { Tone: { enum: ['brief', 'long'] } },
    };
    const refused = (context: JsonObject) => {
      try {
        checkContext(context, schema);
      } catch (error) {
        return /^Error: “(.*)” does not match the context schema of the graph\. /.exec(String(error))?.[1];
      }
      return undefined;
    };
    assert.deepEqual([{ limits: { passages: 'many' } }, { tone: 'loud' }, { tune: 'brief' }].map(refused), [
      'context.limits.passages',
      'context.tone',
      'context.tune',
    ]);
    // Missing fields may come with each run.
    assert.deepEqual([{}, { tone: 'brief', limits: { passages: 3 } }].map(refused), [undefined, undefined]);
    assert.doesNotThrow(() =>
      checkContext({ tone: 'brief' }, { properties: { tone: { $ref: 'https://schemas.example.com/tone' } } }),
    );
  });

  it('is checked against the schemas of the graph, whose definitions are found at the root', () => {
    const schema = documentSchema({
      context_schema: { type: 'object', properties: { kind: { $ref: '#/$defs/Kind' } }, $defs: { Kind: {} } },
      config_schema: null,
    });
    assert.deepEqual(schema.$defs, { Kind: {} });
    const { properties } = schema as { properties: Record<string, { properties?: object }> };
    assert.deepEqual(properties.context?.properties, { kind: { $ref: '#/$defs/Kind' } });
  });

  it('requires nothing that may come with a run, or has a default', () => {
    const prompt = { type: 'string', default: 'Be brief.' };
    const model = {
      type: 'object',
      properties: { prompt, size: { type: 'string' } },
      required: ['prompt', 'size'],
    };
    const schema = documentSchema({
      context_schema: { type: 'object', properties: { model, prompt }, required: ['model', 'prompt'] },
    }) as { properties: { context: { required?: unknown; properties: { model: { required: unknown } } } } };
    assert.equal(schema.properties.context.required, undefined);
    assert.deepEqual(schema.properties.context.properties.model.required, ['size']);
  });
});
