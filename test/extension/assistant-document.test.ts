import assert from 'node:assert/strict';
import {
  assistantText,
  changesOf,
  parseAssistant,
} from '../../src/extension/assistants/assistant-document.ts';
import { documentSchema } from '../../src/extension/assistants/assistant-schema.ts';

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
    assert.throws(() => parseAssistant('{"name": "a", "graph": "b"}'), /graph/);
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
});
