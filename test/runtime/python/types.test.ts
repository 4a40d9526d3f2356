import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, projectRoot } from '../../support/cache.ts';
import { interpreterIn, makeEnvironment, withPython } from '../../support/python-environments.ts';
import { requirePython } from '../../support/python-projects.ts';

const MYPY = [
  'mypy==2.4.1',
  'ast_serialize==0.13.1',
  'librt==0.16.0',
  'mypy_extensions==1.2.0',
  'pathspec==1.1.1',
  'typing_extensions==4.16.0',
];

describe('the types of the Python runtime', function () {
  this.timeout(600_000);

  it('are complete according to mypy with LangGraph installed', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    const environment = await withPython(this, () => makeEnvironment('mypy', `${MYPY.join('\n')}\n`));
    const args = ['-m', 'mypy', '--strict', '--python-executable', python];
    const cache = ['--cache-dir', path.join(cacheFolder(), 'mypy-cache')];
    await promisify(execFile)(
      interpreterIn(environment),
      [...args, ...cache, 'agent_harbor_runtime', 'main.py'],
      { cwd: path.join(projectRoot, 'src', 'runtime', 'python') },
    ).catch((error: { stdout?: string }) => {
      throw new Error(error.stdout ?? String(error));
    });
  });
});
