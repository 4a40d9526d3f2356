import assert from 'node:assert/strict';
import { fileBlock } from '../../../src/terms/file-block.ts';
import { carryOver, type Mode, readInput, type Typed } from '../../../src/webviews/run/composer/input.ts';
import { attachmentOf } from '../../../src/webviews/shared/attachment.ts';
import { draftOf } from '../../../src/webviews/shared/form/draft.ts';
import { formOf } from '../../../src/webviews/shared/form/field.ts';

const form = formOf({
  type: 'object',
  properties: { city: { type: 'string' }, nights: { type: 'integer' } },
  required: ['city', 'nights'],
});

function typed(mode: Mode, text: string, value?: unknown): Typed {
  assert.ok(form);
  return { mode, text, files: [], form, draft: draftOf(form, value) };
}

describe('the input of a run', () => {
  it('is a message, without the space around it', () => {
    assert.deepEqual(readInput(typed('chat', ' Hello \n')), {
      value: { messages: [{ type: 'human', content: 'Hello' }] },
    });
    assert.deepEqual(readInput(typed('chat', ' ')), { problem: 'Enter a message.' });
  });

  it('sends files along with a message, or alone', () => {
    const block = fileBlock({ name: 'dot.png', mime: 'image/png', base64: 'AAAA' });
    const files = [attachmentOf(block)].filter((file) => file !== undefined);
    const sent = (text: string) => readInput({ ...typed('chat', text), files });
    assert.deepEqual(sent('Look'), {
      value: { messages: [{ type: 'human', content: [{ type: 'text', text: 'Look' }, block] }] },
    });
    assert.deepEqual(sent(''), { value: { messages: [{ type: 'human', content: [block] }] } });
  });

  it('is the value of a form, or names its invalid fields', () => {
    const value = { city: 'Genoa', nights: 3 };
    assert.deepEqual(readInput(typed('form', '', value)), { value });
    const one = readInput(typed('form', '', { city: 'Genoa' }));
    assert.ok('problem' in one);
    assert.equal(one.problem, 'Fix the highlighted field.');
    assert.deepEqual(Object.keys(one.fields ?? {}), ['nights']);
  });

  it('is carried over from a form to JSON and back', () => {
    const value = { city: 'Genoa', nights: 3 };
    const asJson = carryOver(typed('form', '', value), 'json');
    assert.deepEqual(JSON.parse(asJson.draft ?? ''), value);
    const back = carryOver(typed('json', asJson.draft ?? ''), 'form');
    assert.deepEqual(back, { draft: '', form: typed('form', '', value).draft });
    assert.deepEqual(carryOver(typed('json', '{"city": }'), 'form'), { draft: '' });
  });
});
