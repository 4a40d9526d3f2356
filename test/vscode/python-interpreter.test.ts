import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { PythonInterpreters } from '../../src/extension/deployments/python-interpreter.ts';
import { ErrorReporter } from '../../src/extension/dialogs/errors.ts';

describe('the Python that the user chose for a project', () => {
  const { getExtension } = vscode.extensions;
  const configured = vscode.workspace.getConfiguration('python').inspect('defaultInterpreterPath');
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'interpreter-'));
    await writeFile(path.join(folder, 'langgraph.json'), '{"graphs": {"agent": "./agent.py:graph"}}');
  });
  after(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => Object.assign(vscode.extensions, { getExtension }));

  async function findWith(activate: () => Promise<unknown>) {
    const logged: string[] = [];
    const log = { error: (line: string | Error) => logged.push(String(line)), debug: () => {} };
    Object.assign(vscode.extensions, { getExtension: () => ({ activate }) });
    const interpreters = new PythonInterpreters(
      new ErrorReporter({ log, window: vscode.window, commands: vscode.commands }),
    );
    try {
      const chosen = await interpreters.findChosen(vscode.Uri.file(path.join(folder, 'langgraph.json')));
      return { chosen, logged };
    } finally {
      interpreters.dispose();
    }
  }

  const apiOf = (resolve: () => Promise<unknown>) => async () => ({
    environments: {
      getActiveEnvironmentPath: () => ({ path: 'python' }),
      onDidChangeActiveEnvironmentPath: () => new vscode.Disposable(() => {}),
      resolveEnvironment: resolve,
    },
  });

  it('is the environment that is selected in the Python extension', async () => {
    const executable = { uri: vscode.Uri.file('/venv/bin/python') };
    const { chosen } = await findWith(apiOf(async () => ({ executable, environment: {} })));
    assert.equal(chosen, executable.uri.fsPath);
  });

  for (const [what, config] of [
    ['its own auth', { auth: { path: './auth.py:auth' } }],
    ['an app of its own', { http: { app: './app.py:app' } }],
    ['embeddings', { store: { index: { embed: './embed.py:embed', dims: 3 } } }],
  ] as const)
    it(`is found for a project that has only ${what} in Python`, async () => {
      const file = path.join(folder, 'langgraph.json');
      const before = await readFile(file, 'utf8');
      await writeFile(file, JSON.stringify({ graphs: { agent: './agent.ts:graph' }, ...config }));
      const executable = { uri: vscode.Uri.file('/venv/bin/python') };
      const { chosen } = await findWith(apiOf(async () => ({ executable, environment: {} })));
      await writeFile(file, before);
      assert.equal(chosen, executable.uri.fsPath);
    });

  for (const [problem, activate] of [
    ['cannot resolve the environment', apiOf(() => Promise.reject(new Error('The locator has ended.')))],
    ['fails to activate', () => Promise.reject(new Error('The locator has ended.'))],
    ['has no environments', async () => ({})],
  ] as const)
    it(`is left to the settings and the server if the Python extension ${problem}, and the log says why`, async () => {
      const { chosen, logged } = await findWith(activate);
      assert.equal(chosen, configured?.globalValue);
      assert.equal(logged.length, 1);
      assert.match(logged[0] ?? '', /^ask the Python extension for its environment: ./);
    });
});
