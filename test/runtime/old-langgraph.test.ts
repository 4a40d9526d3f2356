import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROTOCOL_VERSION } from '../../src/runtime/protocol/protocol.ts';
import { graphProject } from '../support/projects.ts';
import { pythonProject, pythonRuntime, requirePython } from '../support/python-projects.ts';
import { RuntimeHost } from '../support/runtime/runtime-host.ts';

describe('a LangGraph that is too old', function () {
  this.timeout(120_000);

  const load = async (host: RuntimeHost, folder: string, place: string) => {
    const { graphs } = await host.connection.request('initialize', {
      protocol_version: PROTOCOL_VERSION,
      project_dir: folder,
      graphs: { agent: { path: place } },
    });
    const [status] = graphs;
    return status?.status === 'failed' ? status.error : { name: '', message: '' };
  };

  it('is reported in Node before it is imported', async () => {
    await using project = await graphProject({ line: 'langgraph-1.7', empty: true });
    // The installed packages are shared, but this project has its own, outdated LangGraph.
    await rm(path.join(project.folder, 'node_modules'));
    await writeOld(project.folder);
    await using host = new RuntimeHost({ project });
    const { name, message } = await load(host, project.folder, './agent.mjs:graph');
    // The server recognizes it, and suggests the update.
    assert.equal(name, 'OldLangGraphError');
    assert.match(
      message,
      /@langchain\/langgraph 0\.3\.12 in .* is too old\. Version 1\.1 or later is required/,
    );
    assert.ok(message.endsWith('or later is required.'), message);
  });

  it('is reported in Python with the upgrade command, before it is imported', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    await using project = await pythonProject({
      python,
      empty: true,
      files: {
        'uv.lock': '',
        'agent.py': 'raise RuntimeError("imported")',
        'old/langgraph-0.5.4.dist-info/METADATA': 'Metadata-Version: 2.1\nName: langgraph\nVersion: 0.5.4\n',
      },
    });
    const env = { PYTHONPATH: path.join(project.folder, 'old') };
    await using host = new RuntimeHost(pythonRuntime(project, env));
    const { message } = await load(host, project.folder, './agent.py:graph');
    assert.match(message, /LangGraph 0\.5\.4 in .* is too old\. Version 0\.6 or later is required/);
    assert.ok(message.endsWith('uv add "langgraph>=1"'));
  });
});

async function writeOld(folder: string): Promise<void> {
  const files = {
    'agent.mjs': 'throw new Error("imported");',
    'node_modules/@langchain/langgraph/package.json': JSON.stringify({
      name: '@langchain/langgraph',
      version: '0.3.12',
      main: 'index.js',
    }),
    'node_modules/@langchain/langgraph/index.js': 'throw new Error("imported");',
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
