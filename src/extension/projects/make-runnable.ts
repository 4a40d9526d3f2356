import path from 'node:path';
import * as vscode from 'vscode';
import type { GraphStatus, LackingEnv } from '../../contract/harbor.ts';
import type { FolderDeployments, OpenFolderDeployment } from '../deployments/folder-deployments.ts';
import { createFile } from './create-file.ts';
import { installVisibly } from './install-visibly.ts';
import { lackingProgram, type PackageInstaller } from './package-installer.ts';
import { readInitialEnv } from './read-initial-env.ts';

interface MakeRunnableParts {
  readonly folders: FolderDeployments;
  readonly packageInstaller: PackageInstaller;
}

/**
 * Makes a project ready to run: installs its packages, creates its env file from the example, and asks for
 * the variables without which its graphs do not load. Other failures are left to the user.
 * @returns the deployment with its graphs loaded again; undefined when an installation failed, which was
 *   reported, or a question was canceled
 */
export async function makeRunnable(
  { folders, packageInstaller }: MakeRunnableParts,
  { config }: Pick<OpenFolderDeployment, 'config'>,
): Promise<OpenFolderDeployment | undefined> {
  const asked = new Set<string>();
  let isInstalled = false;
  let isEnvWritten = false;
  for (;;) {
    const opened = await folders.openLoaded(config);
    const { runtime } = opened.live;
    if (runtime.state !== 'ready' || runtime.graphs.some(({ status }) => status === 'loaded')) return opened;
    if (!isInstalled && lackingProgram(runtime) !== undefined) {
      isInstalled = await installVisibly(packageInstaller, config);
      if (!isInstalled) return undefined;
      continue;
    }
    const env = runtime.lacking_env;
    if (env === undefined) return opened;
    const wanted = env.variables.filter((name) => !asked.has(name) && isNamed(name, runtime.graphs));
    const copiesExample = env.is_missing && env.has_example && !isEnvWritten;
    if (wanted.length === 0 && !copiesExample) return opened;
    const values = await askForValues(env, wanted);
    if (values === undefined) return undefined;
    for (const name of wanted) asked.add(name);
    await writeValues(env, values);
    isEnvWritten = true;
    await folders.reload(config);
  }
}

/** Whether the error of a graph names a variable. */
function isNamed(variable: string, graphs: readonly GraphStatus[]): boolean {
  return graphs.some((graph) => graph.status === 'failed' && graph.error.message.includes(variable));
}

async function askForValues(
  { file }: LackingEnv,
  names: readonly string[],
): Promise<Readonly<Record<string, string>> | undefined> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = await vscode.window.showInputBox({
      title: vscode.l10n.t('Set {0}', name),
      prompt: vscode.l10n.t('The graphs do not load without it. It is saved in {0}.', path.basename(file)),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a value.') : undefined),
    });
    if (value === undefined) return undefined;
    values[name] = value.trim();
  }
  return values;
}

/**
 * Writes values into an env file. Other lines stay as they are; unsaved changes in an editor are saved first.
 */
async function writeValues(env: LackingEnv, values: Readonly<Record<string, string>>): Promise<void> {
  const { withValues } = await import('../../project/write-env-file.ts');
  const uri = vscode.Uri.file(env.file);
  if (env.is_missing) await createFile(uri, await readInitialEnv(env));
  const opened = vscode.workspace.textDocuments.find((document) => document.uri.fsPath === uri.fsPath);
  if (opened?.isDirty) await opened.save();
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(withValues(text, values)));
}
