import assert from 'node:assert/strict';
import path from 'node:path';
import { defaultName } from '../../src/deploy/create-or-update.ts';

describe('the default name of a deployment', () => {
  const top = path.resolve('/', 'Some Repo');

  it('is the name of the folder of its langgraph.json, in allowed characters', () => {
    assert.equal(defaultName({ top, configPath: 'langgraph.json' }), 'some-repo');
    assert.equal(defaultName({ top, configPath: 'agents/Docs_Agent/langgraph.json' }), 'docs-agent');
  });
});
