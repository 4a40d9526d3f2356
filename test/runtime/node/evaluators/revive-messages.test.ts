import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { HumanMessage } from '@langchain/core/messages';
import { reviveMessages } from '../../../../src/runtime/node/evaluators/revive-messages.ts';
import { projectRoot } from '../../../support/cache.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const VALUES = { messages: [{ type: 'human', content: 'Where is the pier?' }] };

describe('messages for evaluators', () => {
  /** A project whose `node_modules` has only these packages, as pnpm makes it. */
  async function revivedWith(...packages: string[]): Promise<unknown> {
    await using folder = await temporaryFolder();
    await mkdir(path.join(folder.path, 'node_modules/@langchain'), { recursive: true });
    for (const name of packages) {
      const installed = path.join(projectRoot, 'node_modules', name);
      await symlink(installed, path.join(folder.path, 'node_modules', name), 'junction');
    }
    const file = path.join(folder.path, 'checks.ts');
    await writeFile(file, '');
    return reviveMessages(VALUES, file);
  }

  for (const name of ['@langchain/core', '@langchain/langgraph']) {
    it(`are LangChain's objects where only ${name} is installed by name`, async () => {
      assert.deepEqual(await revivedWith(name), { messages: [new HumanMessage('Where is the pier?')] });
    });
  }

  it('stay as they are without LangChain', async () => {
    assert.equal(await revivedWith(), VALUES);
  });
});
