import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeStarterEvaluator } from '../../../src/extension/testing/starter-evaluator.ts';
import { evaluatedProject } from '../../support/evaluated-project.ts';

describe('the first evaluator of a project', () => {
  it('compares the last message, and the values beside the messages', async () => {
    await using project = await evaluatedProject();
    await rm(path.join(project.folder, 'evals'), { recursive: true });
    const file = await writeStarterEvaluator(project.config);
    assert.equal(file, path.join(project.folder, 'evals', 'checks.ts'));
    const { same_answer } = await import(pathToFileURL(file).href);
    const messages = (content: string, id: string) => [{ content: '?' }, { content, id }];
    const referenceOutputs = { messages: messages('north', '1'), pier: 4 };
    const judge = (outputs: object) => same_answer({ outputs, referenceOutputs });
    assert.equal(judge({ messages: messages('north', '2'), pier: 4, steps: 2 }), true);
    assert.equal(judge({ messages: messages('south', '1'), pier: 4 }), false);
    assert.equal(judge({ messages: messages('north', '1'), pier: 5 }), false);
  });

  it('is not written beside others', async () => {
    await using project = await evaluatedProject();
    assert.equal(await writeStarterEvaluator(project.config), undefined);
  });

  const fileFor = async (config: object) => {
    await using project = await evaluatedProject({ 'langgraph.json': JSON.stringify(config) });
    await rm(path.join(project.folder, 'evals'), { recursive: true });
    return path.basename((await writeStarterEvaluator(project.config)) ?? '');
  };

  for (const place of [
    './agent.py:graph',
    'agents.support:graph',
    './my agent/agent.py:graph',
    './größe.py:graph',
    { path: './agent.py:graph' },
  ])
    it(`is in Python for a graph at ${JSON.stringify(place)}`, async () => {
      assert.equal(await fileFor({ graphs: { agent: place } }), 'checks.py');
    });

  for (const other of [
    { base_image: 'langchain/langgraphjs-api:20' },
    { store: { index: { embed: 'ollama:nomic' } } },
  ])
    it(`is in TypeScript for a graph in JavaScript, with ${JSON.stringify(other)}`, async () => {
      assert.equal(await fileFor({ graphs: { agent: './agent.mjs:graph' }, ...other }), 'checks.ts');
    });
});
