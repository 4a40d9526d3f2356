import assert from 'node:assert/strict';
import { changesOf, exampleText, parseExample } from '../../../src/extension/datasets/example-document.ts';

describe('the document of an example', () => {
  const example = { inputs: { question: 'Why?' }, outputs: { answer: 'So.' }, metadata: null };

  it('shows the text of the example as long as it is not changed', () => {
    assert.deepEqual(changesOf(example, parseExample(exampleText(example))), {});
    const bare = { inputs: { question: 'Why?' }, outputs: null, metadata: undefined };
    assert.deepEqual(changesOf(bare, parseExample(exampleText(bare))), {});
  });

  it('sends only the fields that were changed, each as a whole', () => {
    const text = exampleText({ ...example, outputs: { answer: 'Because.' } });
    assert.deepEqual(changesOf(example, parseExample(text)), { outputs: { answer: 'Because.' } });
    assert.deepEqual(changesOf(example, { ...example, outputs: null }), { outputs: {} });
  });

  it('is refused with the line or the field that is wrong', () => {
    assert.throws(() => parseExample('{\n"inputs": }'), /^Error: Line 2 is not valid JSON\. /);
    assert.throws(() => parseExample('{"inputs": []}'), /^Error: “inputs”: /);
    assert.throws(() => parseExample('{"inputs": {}, "output": {}}'), /output/);
  });
});
