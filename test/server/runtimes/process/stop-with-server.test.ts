import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isAlive } from '../../../support/process-tree.ts';
import { requirePython } from '../../../support/python-projects.ts';
import { nodeRuntime, pythonRuntime } from '../../../support/runtime/node-bundle.ts';
import { skip } from '../../../support/skip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

const script = path.join(import.meta.dirname, '../../../support/runtime/doomed-server.ts');

/** Modules that report that they are loaded, and then block everything else in their process. */
const node = `import { writeFileSync } from 'node:fs';
writeFileSync('loading', '');
for (;;);
`;
const python = `import re
open("loading", "w").close()
re.match("(a+)+$", "a" * 80 + "b")
`;

describe('a blocked runtime whose server is killed', function () {
  this.timeout(60_000);

  async function endsWithServer(
    command: { file: string; args: readonly string[]; kernel: boolean },
    graph: { name: string; text: string },
  ): Promise<void> {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, graph.name), graph.text);
    const job = { ...command, cwd: folder.path, graphs: { spins: { path: `./${graph.name}:graph` } } };
    const server = spawn(process.execPath, [script, JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const pid = Number(line);
    try {
      await eventually('the module is loaded', () => existsSync(path.join(folder.path, 'loading')));
      assert.ok(isAlive(pid));
      server.kill('SIGKILL');
      await eventually('the runtime has ended', () => !isAlive(pid));
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  }

  it('is stopped by the operating system', async function () {
    if (process.platform === 'darwin') skip(this, 'macOS does not end processes with their parent');
    const args = [await nodeRuntime()];
    await endsWithServer({ file: process.execPath, args, kernel: true }, { name: 'spins.mjs', text: node });
  });

  it('is stopped by its watching thread', async () => {
    const args = [await nodeRuntime()];
    await endsWithServer({ file: process.execPath, args, kernel: false }, { name: 'spins.mjs', text: node });
  });

  it('is stopped even while Python’s interpreter lock is held', async function () {
    const file = await requirePython(this, 'langgraph-1.2');
    this.timeout(60_000);
    if (process.platform === 'darwin') skip(this, 'macOS does not end processes with their parent');
    const args = ['-u', pythonRuntime];
    await endsWithServer({ file, args, kernel: true }, { name: 'spins.py', text: python });
  });
});
