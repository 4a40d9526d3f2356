import assert from 'node:assert/strict';
import { outputSchema } from '../../../../../src/server/agent-server/api/agents/mcp-schemas.ts';

describe('the output schema of an MCP tool', () => {
  it('accepts outputs with missing or extra keys', () => {
    const item = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { items: { type: 'array', items: { ...item, additionalProperties: false } } },
      required: ['items'],
      additionalProperties: false,
    };
    assert.deepEqual(outputSchema(schema), {
      type: 'object',
      properties: { items: { type: 'array', items: item } },
    });
  });

  it('is absent for a graph without a schema or with a non-object output', () => {
    for (const schema of [null, undefined, {}, { type: 'object' }, { type: 'string' }]) {
      assert.equal(outputSchema(schema), undefined);
    }
  });

  it('is absent when a reference cannot be resolved, which would break the whole list', () => {
    const properties = { a: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] } };
    assert.equal(outputSchema({ type: 'object', properties }), undefined);
    const whole = { type: 'object', properties, $defs: { A: { type: 'string' } } };
    assert.deepEqual(outputSchema(whole), whole);
  });
});
