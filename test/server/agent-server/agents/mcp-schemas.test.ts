import assert from 'node:assert/strict';
import { outputSchema } from '../../../../src/server/agent-server/agents/mcp-schemas.ts';

describe('what an MCP tool promises of its output', () => {
  it('is kept by runs that leave keys out or have more of them', () => {
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

  it('is nothing for a graph of which nothing is known, and for what is no object', () => {
    for (const schema of [null, undefined, {}, { type: 'object' }, { type: 'string' }]) {
      assert.equal(outputSchema(schema), undefined);
    }
  });

  it('is nothing where a reference leads nowhere, which would cost a client the whole list', () => {
    const properties = { a: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] } };
    assert.equal(outputSchema({ type: 'object', properties }), undefined);
    const whole = { type: 'object', properties, $defs: { A: { type: 'string' } } };
    assert.deepEqual(outputSchema(whole), whole);
  });
});
