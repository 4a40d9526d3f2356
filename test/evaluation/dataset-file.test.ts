import assert from 'node:assert/strict';
import { parseDatasetFile } from '../../src/evaluation/dataset-file.ts';

const parse = (text: string) => parseDatasetFile('/project/evals/basics.dataset.jsonl', text);

describe('a dataset file', () => {
  it('has an example per line, with its place, and the name of the file', () => {
    const { name, examples, problems, settings } = parse(
      '\uFEFF\r\n{"inputs": {"q": "one"}}\r\n\r\n{"inputs": {"q": "two"}, "outputs": {"a": 2}, "split": ["hard"]}',
    );
    assert.equal(name, 'basics');
    assert.deepEqual(
      examples.map(({ line, label, outputs, split }) => ({ line, label, outputs, split })),
      [
        { line: 2, label: 'one', outputs: undefined, split: undefined },
        { line: 4, label: 'two', outputs: { a: 2 }, split: ['hard'] },
      ],
    );
    assert.deepEqual(problems, []);
    assert.deepEqual([settings.repetitions, settings.pass_rate, settings.graph], [1, 1, undefined]);
  });

  it('reads its settings from a first line with dataset', () => {
    const { name, settings, examples } = parse(
      '{"dataset": {"name": "other", "graph": "agent", "pass": {"cost": null}}}\n{"inputs": {}}\n',
    );
    assert.deepEqual([name, settings.graph, settings.pass], ['other', 'agent', { cost: null }]);
    assert.equal(examples.length, 1);
  });

  it('names an example by its name, id, last message, first text or inputs', () => {
    const { examples } = parse(
      [
        '{"name": "a name", "inputs": {"q": "text"}}',
        '{"id": "an id", "inputs": {"q": "text"}}',
        '{"inputs": {"q": "text", "messages": [{"role": "user", "content": "first"}, {"content": "last\\n line"}]}}',
        '{"inputs": {"n": 1, "q": "text"}}',
        '{"inputs": {"n": 1}}',
        `{"inputs": {"q": "${'long '.repeat(30)}"}}`,
      ].join('\n'),
    );
    const labels = examples.map(({ label }) => label);
    assert.deepEqual(labels.slice(0, 5), ['a name', 'an id', 'last line', 'text', '{"n":1}']);
    assert.match(labels[5] ?? '', /^long .{74}…$/);
  });

  it('tells examples with equal inputs apart, and refuses an id that occurs twice', () => {
    const { examples, problems } = parse(
      `${'{"inputs": {"q": 1}}\n'.repeat(3)}{"id": "x", "inputs": {}}\n{"id": "x", "inputs": {}}\n`,
    );
    assert.equal(new Set(examples.map(({ key }) => key)).size, 4);
    assert.deepEqual(problems, [{ line: 5, message: "id: 'x' is already the id of line 4." }]);
  });

  it('names line and field of each error, and keeps the rest', () => {
    const { examples, problems } = parse(
      [
        '{"dataset": {"pass_rate": 2, "grph": "agent"}}',
        '{"inputs": []}',
        '{"inputs": {}}',
        'nothing',
        '[]',
        '{"dataset": {}}',
      ].join('\n'),
    );
    assert.deepEqual(
      examples.map(({ line }) => line),
      [3],
    );
    const told = problems.map(({ line, message }) => `${line} ${message}`);
    assert.match(told[0] ?? '', /^1 dataset\.pass_rate: Must be at most 1\./);
    assert.match(told[1] ?? '', /^1 dataset: .*grph/);
    assert.match(told[2] ?? '', /^2 inputs: /);
    assert.match(told[3] ?? '', /^4 Not valid JSON: /);
    assert.deepEqual([...new Set(problems.map(({ line }) => line))], [1, 2, 4, 5, 6]);
  });
});
