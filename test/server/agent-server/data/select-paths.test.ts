import assert from 'node:assert/strict';
import { readPath, selectPaths } from '../../../../src/server/agent-server/data/select-paths.ts';

describe('paths into a document', () => {
  const document = { values: { messages: [{ content: 'one' }, { content: 'two' }] }, next: ['a'] };

  it('read fields, and list items from either end', () => {
    assert.equal(readPath(document, 'values.messages[0].content'), 'one');
    assert.equal(readPath(document, 'values.messages[-1].content'), 'two');
    assert.equal(readPath(document, 'values.toString'), undefined);
  });

  it('select a copy that has only the fields that they name', () => {
    assert.deepEqual(selectPaths(document, ['values.messages', 'next', 'tasks']), document);
    assert.deepEqual(selectPaths(document, ['next']), { next: ['a'] });
  });

  it('leave the prototypes of other objects alone', () => {
    const hostile: object = JSON.parse('{"values":{"__proto__":{"polluted":"yes"}}}');
    const selected = selectPaths(hostile, ['values.__proto__.polluted']);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
    assert.equal(JSON.stringify(selected), JSON.stringify(hostile));
  });
});
