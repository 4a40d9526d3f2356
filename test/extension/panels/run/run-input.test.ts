import assert from 'node:assert/strict';
import { inputShapeOf } from '../../../../src/extension/panels/run/run-input.ts';

describe("the shape of a graph's input", () => {
  it('is a chat when it has messages', () => {
    const shape = inputShapeOf({ properties: { messages: { type: 'array' } } });
    assert.equal(shape.input, 'chat');
    assert.deepEqual(JSON.parse(shape.template), { messages: [{ type: 'human', content: '' }] });
  });

  it('is JSON without messages, with an initial value of the right type for each property', () => {
    const shape = inputShapeOf({
      properties: {
        topic: { type: 'string' },
        depth: { type: 'integer', default: 3 },
        tone: { enum: ['dry', 'warm'] },
        tags: { type: 'array' },
        anything: {},
      },
    });
    assert.equal(shape.input, 'json');
    assert.deepEqual(JSON.parse(shape.template), {
      topic: '',
      depth: 3,
      tone: 'dry',
      tags: [],
      anything: null,
    });
  });

  it('is an empty object when the graph has no schema', () => {
    assert.deepEqual(inputShapeOf(undefined), { input: 'json', template: '{}' });
    assert.deepEqual(inputShapeOf({ type: 'object' }), { input: 'json', template: '{}' });
  });
});
