import assert from 'node:assert/strict';
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { Send } from '@langchain/langgraph';
import { toJsonText, toWire } from '../../../../src/runtime/node/link/wire-format.ts';

const sent = (value: unknown): unknown => JSON.parse(toJsonText(value));

describe('the wire format', () => {
  it('passes plain data through without copying', () => {
    const plain = { a: [1, 'two', null, { b: true }], date: new Date(0) };
    assert.equal(toWire(plain), plain);
    assert.equal(toJsonText(plain), JSON.stringify(plain));
  });

  it('writes the fields of an object whose toJSON returns the object itself', () => {
    class Point {
      readonly x = 1;
      readonly big = 2n;
      toJSON() {
        return this;
      }
    }
    assert.deepEqual(sent({ point: new Point() }), { point: { x: 1, big: 2 } });
  });

  it('writes messages as LangChain’s own dictionaries', () => {
    const messages = [
      new HumanMessage({ content: 'hi', id: '1', name: 'Ada' }),
      new SystemMessage('be kind'),
      new AIMessage({
        content: 'hello',
        id: '2',
        tool_calls: [{ name: 'search', args: { q: 'x' }, id: 'call', type: 'tool_call' }],
      }),
      new AIMessageChunk({ content: 'he', tool_call_chunks: [{ name: 's', args: '{', index: 0 }] }),
      new ToolMessage({ content: 'found', tool_call_id: 'call', artifact: { raw: 1 }, status: 'success' }),
      new RemoveMessage({ id: '3' }),
    ];
    for (const message of messages) {
      const { type, data } = message.toDict();
      assert.deepEqual(sent(message), JSON.parse(JSON.stringify({ type, ...data })));
    }
  });

  it('writes messages as dictionaries however deep they are', () => {
    const message = new HumanMessage({ content: 'hi', id: '1' });
    const { state } = sent({ state: new Map([['list', [{ message }]]]) }) as {
      state: { list: [{ message: { type: string } }] };
    };
    assert.equal(state.list[0].message.type, 'human');
  });

  it('uses the ID a message got after its creation', () => {
    const message = new AIMessage('hello');
    message.id = 'later';
    assert.deepEqual((sent(message) as { id: string }).id, 'later');
  });

  it('converts values that JSON does not support', () => {
    assert.deepEqual(
      sent({
        map: new Map<unknown, unknown>([[1, 'one']]),
        pairs: new Map([[{ key: 1 }, 'value']]),
        set: new Set(['a', new Set([1])]),
        big: [7n, 2n ** 64n],
        bytes: Buffer.from('hi'),
        buffer: new Uint8Array([1, 2]).buffer,
        floats: new Float32Array([0.5, 1]),
        error: new TypeError('wrong'),
        url: new URL('http://localhost/a'),
        nothing: undefined,
        method: () => 1,
        notNumbers: [Number.NaN, Number.POSITIVE_INFINITY],
        send: new Send('node', { a: 1 }),
      }),
      {
        map: { 1: 'one' },
        pairs: [[{ key: 1 }, 'value']],
        set: ['a', [1]],
        big: [7, '18446744073709551616'],
        bytes: 'aGk=',
        buffer: 'AQI=',
        floats: [0.5, 1],
        error: { error: 'TypeError', message: 'wrong' },
        url: 'http://localhost/a',
        notNumbers: [null, null],
        send: { lg_name: 'Send', node: 'node', args: { a: 1 } },
      },
    );
  });

  it('cuts cycles and keeps repeated references', () => {
    const shared = { x: 1 };
    const loop: Record<string, unknown> = { first: shared, second: shared };
    loop.self = [loop];
    assert.deepEqual(sent(loop), { first: { x: 1 }, second: { x: 1 }, self: ['[Circular]'] });
  });

  it('is valid JSON even for values that cannot be written', () => {
    assert.equal(toJsonText(undefined), 'null');
    const throwing = {
      get value() {
        throw new Error('not now');
      },
    };
    assert.deepEqual(sent(throwing), { error: 'NotSerializable', message: 'not now' });
  });
});
