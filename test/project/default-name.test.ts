import assert from 'node:assert/strict';
import path from 'node:path';
import { defaultName } from '../../src/deploy/create-or-update.ts';

describe('the name of a deployment that nobody names', () => {
  const top = path.resolve('/', 'Some Repo');

  it("is that of the folder of its langgraph.json, in a platform's letters", () => {
    assert.equal(defaultName({ top, configPath: 'langgraph.json' }), 'some-repo');
    assert.equal(defaultName({ top, configPath: 'agents/Docs_Agent/langgraph.json' }), 'docs-agent');
  });
});
