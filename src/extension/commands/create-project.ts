import path from 'node:path';
import * as vscode from 'vscode';
import { type Template, createProject as writeProject } from '../../project/create-project.ts';
import type { Command } from './command.ts';

/** Writes a small agent that works offline to begin a project with, asking for language, name and place. */
export const createProject: Command = async ({ templates, configs }) => {
  const template = await askForTemplate();
  if (template === undefined) return;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Create an agent project (2/3)'),
    prompt: vscode.l10n.t('Its name, which is that of its folder too.'),
    value: 'my-agent',
    validateInput: (value) =>
      /^[\w.-]+$/.test(value.trim())
        ? undefined
        : vscode.l10n.t('Letters, digits, dots and hyphens, please.'),
  });
  if (name === undefined) return;
  const parent = await askForPlace();
  if (parent === undefined) return;
  const folder = path.join(parent.fsPath, name.trim());
  const project = await writeProject({ templates, template, folder });
  const isInWorkspace = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(project.folder)) !== undefined;
  if (isInWorkspace) {
    configs.rescan();
    await vscode.window.showTextDocument(vscode.Uri.file(project.graphPath));
  }
  // Not awaited: the project is there, whatever is done next.
  void offerNext(project, isInWorkspace);
};

async function askForTemplate(): Promise<Template | undefined> {
  const items = [
    {
      label: 'TypeScript',
      detail: vscode.l10n.t('Runs on Node.js 20 or newer.'),
      template: 'typescript',
    },
    {
      label: 'Python',
      detail: vscode.l10n.t('Runs on Python 3.10 or newer.'),
      template: 'python',
    },
  ] as const;
  const title = vscode.l10n.t('Create an agent project (1/3)');
  const placeHolder = vscode.l10n.t('In which language? Both work offline and without a key.');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.template;
}

/** The folder that the project's own goes into. */
async function askForPlace(): Promise<vscode.Uri | undefined> {
  const open = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  if (open.length === 0) return browse();
  const items = [
    ...open.map(({ name, uri }) => ({ label: name, description: uri.fsPath, uri })),
    { label: vscode.l10n.t('Another folder…'), description: '', uri: undefined },
  ];
  const title = vscode.l10n.t('Create an agent project (3/3)');
  const placeHolder = vscode.l10n.t('In which folder?');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder });
  return chosen === undefined ? undefined : (chosen.uri ?? browse());
}

async function browse(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
    title: vscode.l10n.t('Create an agent project (3/3)'),
    openLabel: vscode.l10n.t('Create Here'),
  });
  return chosen?.[0];
}

async function offerNext(
  { folder, name, setup }: Awaited<ReturnType<typeof writeProject>>,
  isInWorkspace: boolean,
): Promise<void> {
  const install = vscode.l10n.t('Install Its Packages');
  const open = vscode.l10n.t('Open Folder');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('{0} is there. Its packages are still to be installed: {1}', name, setup.join(' && ')),
    install,
    ...(isInWorkspace ? [] : [open]),
  );
  if (chosen === install) {
    const terminal = vscode.window.createTerminal({ name, cwd: folder });
    terminal.show();
    for (const command of setup) terminal.sendText(command);
  } else if (chosen === open) {
    await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder));
  }
}
