import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gitRepository } from '../support/control-plane/git-repository.ts';
import { serverProcess } from '../support/control-plane/server-process.ts';
import { isAlive } from '../support/process-tree.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

/** How often; `npm run soak` and the Windows ring do it more than once. */
const KILLS = Number(process.env.FAULT_KILLS ?? 1);

/** A project that npm never finishes installing: its script writes its process ID to a file and waits. */
const files = (pidFile: string) => ({
  'package.json': JSON.stringify({
    name: 'endless',
    type: 'module',
    scripts: { install: 'node install.mjs' },
  }),
  'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'endless' } } }),
  'install.mjs': `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(pidFile)}, process.pid + '\\n');
setInterval(() => {}, 1_000);
`,
  'agent.mjs': 'export const graph = undefined;\n',
  'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' } }),
});

describe('a server killed while npm installs', function () {
  this.timeout(120_000 * KILLS);

  it(`starts again, and no installation continues (${KILLS} times)`, async () => {
    await using server = await serverProcess();
    await using pids = await temporaryFolder();
    await using repository = await gitRepository();
    for (let round = 0; round < KILLS; round++) {
      const pidFile = path.join(pids.path, String(round));
      await repository.push(files(pidFile));
      const { id } = await server.client.deployments.create({
        body: {
          name: `endless ${round}`,
          source: 'github',
          source_config: { repo_url: repository.url },
          source_revision_config: { repo_ref: 'main' },
        },
      });
      const installing = await eventually(
        'npm runs the script of the project',
        async () => Number((await readFile(pidFile, 'utf8')).split('\n')[0]),
        (pid) => pid > 0,
        60_000,
      );
      await server.kill();
      await eventually('the installation has ended with its server', () => !isAlive(installing));
      // Fails if the server cannot start.
      await server.start();
      await eventually(
        'it is installed again',
        async () => (await readFile(pidFile, 'utf8')).trim().split('\n').length > 1,
        Boolean,
        60_000,
      );
      await server.client.deployments.delete({ params: { deployment_id: id } });
      const begun = (await readFile(pidFile, 'utf8')).trim().split('\n').map(Number);
      await eventually('nothing is installed any more', () => !begun.some(isAlive));
      assert.equal(begun.length, 2, `round ${round}`);
    }
  });
});
