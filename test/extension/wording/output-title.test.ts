import assert from 'node:assert/strict';
import { outputTitle } from '../../../src/extension/wording/output-title.ts';

describe('the words of an output', () => {
  it('are those of its last message', () => {
    const messages = [
      { type: 'human', content: 'Is pier 4 open?' },
      { type: 'ai', content: 'Yes, until noon.' },
    ];
    assert.equal(outputTitle({ messages }), 'Yes, until noon.');
  });

  it("are those of its last message in LangChain's constructors, and in other forms", () => {
    const serialized = (name: string, content: string) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', name],
      kwargs: { content },
    });
    const messages = [serialized('HumanMessage', 'The square?'), serialized('AIMessage', 'The answer')];
    assert.equal(outputTitle({ messages }), 'The answer');
    assert.equal(outputTitle({ choices: [{ message: { role: 'assistant', content: 'Yes' } }] }), 'Yes');
    assert.equal(
      outputTitle({ messages: [{ role: 'assistant', parts: [{ type: 'text', content: 'Sunny' }] }] }),
      'Sunny',
    );
  });

  it('are what was expected, wherever a graph returns it in its state', () => {
    const output = { question: 'Where is pier 4?', documents: ['a map'], answer: 'north' };
    const inputs = { question: 'Where is pier 4?' };
    assert.equal(outputTitle(output, { inputs, reference: { answer: 'south' } }), 'north');
    assert.equal(
      outputTitle(output, { inputs, reference: { question: 'Where is pier 4?', answer: '' } }),
      'north',
    );
  });

  it('are not those of the question, as long as there are others', () => {
    const inputs = { question: 'Where is pier 4?' };
    assert.equal(outputTitle({ question: 'Where is pier 4?', answer: 4 }, { inputs }), '4');
    assert.equal(outputTitle({ question: 'Where is pier 4?' }, { inputs }), 'Where is pier 4?');
  });

  it('are found in the beginning of a long one', () => {
    const text = JSON.stringify({ question: 'Why?', answer: 'north', documents: ['x'.repeat(300)] }).slice(
      0,
      300,
    );
    assert.equal(outputTitle(text, { inputs: { question: 'Why?' } }), 'north');
    assert.equal(
      outputTitle('{"question":"Why?","answer":"It is no', { inputs: { question: 'Why?' } }),
      'It is no',
    );
    assert.equal(outputTitle('north', {}), 'north');
  });
});
