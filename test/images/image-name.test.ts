import assert from 'node:assert/strict';
import { imageNameProblem, suggestImageName } from '../../src/images/image-name.ts';

describe('the name of an image', () => {
  it('is suggested for every folder, and can be used', () => {
    for (const [folder, name] of [
      ['docs-agent', 'docs-agent:latest'],
      ['My Agent (2)', 'my-agent-2:latest'],
      ['日本', 'agent:latest'],
    ] as const) {
      assert.equal(suggestImageName(folder), name);
      assert.equal(imageNameProblem(name), undefined);
    }
  });

  it('is refused with advice when no tool would accept it', () => {
    for (const name of ['support', 'registry.example.com:5000/team/support:1.4'])
      assert.equal(imageNameProblem(name), undefined);
    for (const name of ['', 'Support', 'a b', 'a:b:c', '-x', 'a/', 'a:'])
      assert.match(imageNameProblem(name) ?? '', /cannot name an image\. Use lowercase letters/);
  });
});
