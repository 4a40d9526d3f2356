import assert from 'node:assert/strict';
import { changedValues } from '../../../src/extension/states/changed-values.ts';
import { parseState, placeOf, stateText } from '../../../src/extension/states/state-document.ts';
import { stateDocumentSchema } from '../../../src/extension/states/state-schema.ts';

describe('the document of a state', () => {
  it('has the values, and no node to update as', () => {
    const text = stateText({ topic: 'tides' }, 'agent-harbor://state-schema/here/graph.json');
    assert.deepEqual(parseState(text), {
      fields: {
        $schema: 'agent-harbor://state-schema/here/graph.json',
        as_node: null,
        values: { topic: 'tides' },
      },
    });
    assert.ok(!stateText({}, undefined).includes('$schema'));
  });

  it('may have comments and trailing commas', () => {
    assert.deepEqual(parseState('{ // mine\n "values": {"a": [1, 2,]},\n}'), {
      fields: { as_node: null, values: { a: [1, 2] } },
    });
  });

  it('names the line or the property that is wrong', () => {
    const problemOf = (text: string) => {
      const parsed = parseState(text);
      assert.ok('problem' in parsed);
      return parsed.problem;
    };
    assert.match(problemOf('{\n  "values": {\n').sentence, /^Line 3 is not valid JSON/);
    assert.deepEqual(problemOf('{"values": []}').path, ['values']);
    assert.match(problemOf('{"values": []}').sentence, /^“values”: /);
    assert.deepEqual(problemOf('{"values": {}, "as_node": 7}').path, ['as_node']);
    assert.match(problemOf('{"value": {}}').sentence, /./);
  });

  it('marks a wrong property, or its parent when it is missing', () => {
    const text = '{\n  "values": { "list": [1] }\n}';
    const marked = (path: readonly (string | number)[]) => {
      const { offset, length } = placeOf(text, path);
      return text.slice(offset, offset + length);
    };
    assert.equal(marked(['values', 'list']), '"list"');
    assert.equal(marked(['values', 'list', 0]), '1');
    assert.equal(marked(['values', 'gone', 'deeper']), '"values"');
    assert.equal(marked(['as_node']), '{');
  });

  it('is checked against the schema of the state, and may have only some of its properties', () => {
    const schema = stateDocumentSchema(
      {
        graph_id: 'g',
        state_schema: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      },
      ['plan', 'answer'],
    );
    const { as_node, values } = Object(schema.properties);
    assert.deepEqual(as_node.enum, [null, 'plan', 'answer']);
    assert.deepEqual(values.properties, { a: { type: 'string' } });
    assert.ok(!('required' in values));
  });

  it('may name any node if the graph could not be drawn', () => {
    const { as_node } = Object(stateDocumentSchema({ graph_id: 'g' }, undefined).properties);
    assert.ok(!('enum' in as_node));
    assert.deepEqual(as_node.type, ['string', 'null']);
  });
});

describe('what has been changed in a state', () => {
  it('is written as whole properties, with null for removed ones', () => {
    const before = { a: 1, b: [1, 2], c: { d: 1 } };
    assert.deepEqual(changedValues(before, { a: 1, b: [1], e: 'new' }), { b: [1], e: 'new', c: null });
    assert.deepEqual(changedValues(before, { ...before }), {});
    assert.deepEqual(changedValues(null, { a: undefined, b: 1 }), { a: undefined, b: 1 });
  });
});
