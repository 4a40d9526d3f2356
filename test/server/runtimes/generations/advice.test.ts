import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findNodeAdvice } from '../../../../src/server/runtimes/generations/node-advice.ts';
import {
  findDeployedPythonAdvice,
  findLangGraphAdvice,
  findPythonAdvice,
} from '../../../../src/server/runtimes/generations/python-advice.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const python = (module: string) => ({
  name: 'MissingPackageError',
  message: `/p/agent.py imports '${module}', which is not installed in /p/.venv.`,
});
const node = (name: string) => ({
  name: 'GraphLoadError',
  message: `/p/agent.ts could not be loaded: Cannot find package '${name}' imported from /p/agent.ts`,
});

/** Between two commands; Windows PowerShell knows no `&&`. */
const then = process.platform === 'win32' ? ', then ' : ' && ';

const PIP = { tool: 'pip', steps: [['.venv/bin/python', '-m', 'pip', 'install', '-e', '.']] };
const UV_SYNC = { tool: 'uv', steps: [['uv', 'sync']] };
const UV_PIP = {
  tool: 'uv',
  steps: [
    ['uv', 'venv', '--python', 'python3'],
    ['uv', 'pip', 'install', '--python', '.venv/bin/python', 'langgraph'],
  ],
};
const POETRY = { tool: 'poetry', steps: [['poetry', 'install']] };
const PROJECT = '[project]\nname = "mine"\ndependencies = ["langgraph", "Typing_Extensions"]\n';

describe('the error about a package that is missing', () => {
  async function inProject<T>(files: Record<string, string>, ask: (dir: string) => Promise<T>): Promise<T> {
    await using folder = await temporaryFolder();
    for (const [name, text] of Object.entries({ '.git': '', ...files })) {
      await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
      await writeFile(path.join(folder.path, name), text);
    }
    const answer = await ask(folder.path);
    return (typeof answer === 'string' ? answer.replaceAll(folder.path, 'DIR') : answer) as T;
  }

  const wayOut = (files: Record<string, string>, choice: typeof PIP, module: string) =>
    inProject(files, (dir) => findPythonAdvice({ dir }, [choice], python(module)));

  it('names the command of the tool of a Python project', async () => {
    const declared = await wayOut({ 'pyproject.toml': PROJECT }, PIP, 'typing_extensions');
    assert.equal(declared, 'Run this in DIR: .venv/bin/python -m pip install -e .');
    assert.equal(
      await wayOut({ 'pyproject.toml': PROJECT }, PIP, 'yaml.nodes'),
      'Add pyyaml to pyproject.toml, and run this in DIR: .venv/bin/python -m pip install -e .',
    );
    assert.equal(
      await wayOut({ 'requirements.txt': 'langgraph\n' }, PIP, 'humanize'),
      'Add humanize to requirements.txt, and run this in DIR: .venv/bin/python -m pip install -e .',
    );
    assert.equal(
      await wayOut({}, PIP, 'humanize'),
      'Run this in DIR: .venv/bin/python -m pip install humanize',
    );
    assert.equal(
      await wayOut({ 'pyproject.toml': PROJECT }, UV_SYNC, 'humanize'),
      'Run this in DIR: uv add humanize',
    );
    assert.equal(
      await wayOut({}, UV_PIP, 'humanize'),
      `Run this in DIR: uv venv --python python3${then}uv pip install --python .venv/bin/python humanize`,
    );
    assert.equal(await wayOut({}, POETRY, 'humanize'), 'Run this in DIR: poetry add humanize');
  });

  it('names the command of the package manager of a Node project', async () => {
    const ask = (files: Record<string, string>, name: string) =>
      inProject(files, (dir) => findNodeAdvice({ dir }, false, node(name)));
    const manifest = JSON.stringify({ dependencies: { zod: '4' } });
    assert.equal(await ask({ 'package.json': manifest }, 'zod/v4'), 'Run npm install in DIR');
    assert.equal(await ask({ 'package.json': manifest }, '@a/b/c'), 'Run npm install @a/b in DIR');
    assert.equal(
      await ask({ 'package.json': manifest, 'pnpm-lock.yaml': '' }, 'ms'),
      'Run pnpm add ms in DIR',
    );
    assert.equal(await ask({}, 'ms'), 'Run npm install ms in DIR');
  });

  it('names a package that could not be required, but no path or alias', async () => {
    const ask = (specifier: string) =>
      inProject({}, (dir) => {
        const message = `Cannot find module '${specifier}'\nRequire stack:\n- /p/agent.cjs`;
        return findNodeAdvice({ dir }, false, { name: 'GraphLoadError', message });
      });
    assert.equal(await ask('ms/fast'), 'Run npm install ms in DIR');
    for (const other of ['./ms', '/p/ms.cjs', 'C:\\p\\ms.cjs', '@/ms', '~/ms'])
      assert.equal(await ask(other), undefined, other);
  });

  it('names the file to add it to in a deployment', async () => {
    const ask = (files: Record<string, string>) =>
      inProject(files, (dir) => findDeployedPythonAdvice({ dir }, python('yaml')));
    assert.equal(await ask({ 'pyproject.toml': PROJECT }), 'Add pyyaml to pyproject.toml and deploy again.');
    assert.equal(await ask({ 'requirements.txt': '' }), 'Add pyyaml to requirements.txt and deploy again.');
    assert.equal(
      await inProject({ 'package.json': '{}' }, (dir) => findNodeAdvice({ dir }, true, node('ms'))),
      "Add ms to 'dependencies' in package.json and deploy again.",
    );
  });

  it('adds LangGraph to requirements that neither have nor bring it', async () => {
    const ask = (requirements: string) =>
      inProject({ 'requirements.txt': requirements }, (dir) => findLangGraphAdvice({ dir }, false, [PIP]));
    const command = '.venv/bin/python -m pip install -e .';
    assert.equal(
      await ask('langchain-openai\nlanggraph-sdk\n'),
      `Add langgraph to requirements.txt, and run this in DIR: ${command}`,
    );
    for (const brings of ['langgraph>=1', 'langchain', 'langgraph-supervisor'])
      assert.equal(await ask(`${brings}\n`), `Run this in DIR: ${command}`, brings);
  });

  it('never installs what has the name of a module in the repository', async () => {
    const files = { 'examples/tools.py': '', 'backend/langgraph.json': '{}', 'backend/src/own/part.py': '' };
    const ask = (module: string) =>
      inProject(files, async (dir) => {
        const backend = path.join(dir, 'backend');
        const way = await findPythonAdvice({ dir: backend }, [UV_SYNC], python(module));
        return way?.replaceAll(dir, 'DIR');
      });
    assert.equal(
      await ask('examples.tools'),
      `'examples' is in DIR: add ".." to 'dependencies' in langgraph.json.`,
    );
    assert.equal(
      await ask('own'),
      `'own' is in DIR/backend/src: add "./src" to 'dependencies' in langgraph.json.`,
    );
    assert.equal(await ask('other'), 'Run this in DIR/backend: uv add other');
    assert.equal(
      await inProject({ 'requirements.txt': '', 'src/own.py': '' }, (dir) =>
        findDeployedPythonAdvice({ dir }, python('own')),
      ),
      `'own' is in DIR/src: add "./src" to 'dependencies' in langgraph.json, and deploy again.`,
    );
  });

  it('never installs an alias or a folder of a Node project', async () => {
    const ask = (name: string, files: Record<string, string> = {}) =>
      inProject({ 'package.json': '{}', ...files }, (dir) => findNodeAdvice({ dir }, false, node(name)));
    for (const alias of ['@/lib', '~', '~/lib', '#lib', '$lib', '@'])
      assert.equal(await ask(alias), undefined);
    assert.equal(
      await ask('lib', { 'src/lib/word.ts': '' }),
      "'lib' is the folder DIR/src/lib: import it by a relative path, or by 'paths' of tsconfig.json.",
    );
  });

  it('says nothing about other errors', async () => {
    const other = { name: 'GraphLoadError', message: "/p/agent.ts could not be loaded: TypeError: 'x'" };
    assert.equal(await inProject({}, (dir) => findNodeAdvice({ dir }, false, other)), undefined);
    assert.equal(await inProject({}, (dir) => findPythonAdvice({ dir }, [PIP], other)), undefined);
  });
});
