import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createProject, TEMPLATES } from '../../src/project/create-project.ts';
import { projectRoot } from '../support/cache.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const templates = path.join(projectRoot, 'templates');

describe('creating a project', () => {
  it('uses the given name as a package name', async () => {
    await using top = await temporaryFolder();
    for (const template of TEMPLATES) {
      const folder = path.join(top.path, template);
      const made = await createProject({ templates, template, folder, name: 'Ünser Agent 2!' });
      assert.equal(made.name, 'u-nser-agent-2');
      const manifest = template === 'python' ? 'pyproject.toml' : 'package.json';
      assert.match(await readFile(path.join(folder, manifest), 'utf8'), /"u-nser-agent-2"/);
      assert.match(await readFile(path.join(folder, 'README.md'), 'utf8'), /^# u-nser-agent-2\n/);
      assert.match(await readFile(path.join(folder, '.gitignore'), 'utf8'), /^\.env$/m);
      assert.match(await readFile(made.graphPath, 'utf8'), /StateGraph/);
      const { graphs } = JSON.parse(await readFile(made.configPath, 'utf8'));
      assert.equal(
        path.join(folder, graphs.agent.path.split(':')[0]),
        made.graphPath,
        'langgraph.json names the graph',
      );
    }
  });

  it('keeps existing files and overwrites nothing', async () => {
    await using folder = await temporaryFolder();
    await mkdir(path.join(folder.path, '.git'));
    const readme = path.join(folder.path, 'README.md');
    await writeFile(readme, 'mine');
    await assert.rejects(
      createProject({ templates, template: 'python', folder: folder.path }),
      /README\.md already exists/,
    );
    assert.equal(await readFile(readme, 'utf8'), 'mine');
    assert.deepEqual((await readdir(folder.path)).toSorted(), ['.git', 'README.md']);
  });
});
