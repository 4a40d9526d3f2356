import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { searchPathOf } from '../../../process/search-path.ts';
import type { CodingAgent, StartedWith } from '../../coding-agents/client-files.ts';
import type { FolderConfigs } from '../../deployments/configs.ts';
import { chooseSeveral } from '../../dialogs/steps.ts';
import type { Command } from '../command.ts';

interface SetUpParts {
  readonly configs: FolderConfigs;
  /** The folder of the launchers that VS Code's terminals have on their PATH. */
  readonly launchers: string;
  readonly skill: string;
}

/** Where Claude Code and others look for skills of a project. */
const SKILL_FILE = '.claude/skills/agent-harbor/SKILL.md';

/** Writes the files that tell coding agents of the MCP server, after showing them. */
export const setUpCodingAgents: Command<SetUpParts> = async ({ configs, launchers, skill }) => {
  const [config] = await configs.list();
  if (config === undefined) {
    throw new Error(vscode.l10n.t('Open a folder with a langgraph.json first.'));
  }
  const folder = path.dirname(config.uri.fsPath);
  // It brings a parser, which activating need not read.
  const { CODING_AGENTS } = await import('../../coding-agents/client-files.ts');
  const skillItem = {
    label: vscode.l10n.t('Skill'),
    description: SKILL_FILE,
    detail: vscode.l10n.t('How to find a cause, fix it, and prove it'),
    picked: true,
    agent: undefined,
  };
  const answer = await chooseSeveral<vscode.QuickPickItem & { readonly agent: CodingAgent | undefined }>({
    title: vscode.l10n.t('Set Up Coding Agents'),
    canGoBack: false,
    placeholder: vscode.l10n.t('Select the files to write. VS Code shows them first.'),
    items: [
      ...CODING_AGENTS.map((agent) => ({
        label: agent.name,
        description: agent.file,
        picked: agent.file === '.mcp.json',
        agent,
      })),
      skillItem,
    ],
  });
  if (answer.kind !== 'answered') return;
  const started = await findStart(launchers);
  const edit = new vscode.WorkspaceEdit();
  for (const { agent } of answer.value) {
    if (agent === undefined)
      await addFile(edit, path.join(folder, SKILL_FILE), () => readFile(skill, 'utf8'));
    else await addFile(edit, path.join(folder, agent.file), (before) => agent.write(before, started));
  }
  // The refactoring preview shows what is written; nothing is until it is accepted.
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
  await vscode.workspace.saveAll(false);
};

async function addFile(
  edit: vscode.WorkspaceEdit,
  file: string,
  write: (before: string | undefined) => string | Promise<string>,
): Promise<void> {
  const uri = vscode.Uri.file(file);
  // A file that is not there is made.
  const before = await readFile(file, 'utf8').catch(() => undefined);
  let after: string;
  try {
    after = await write(before);
  } catch (error) {
    throw new Error(vscode.l10n.t('{0} could not be changed: {1}', file, String(error)));
  }
  if (after === before) return;
  const metadata = { needsConfirmation: true, label: vscode.l10n.t('Set Up Coding Agents') };
  if (before === undefined) {
    edit.createFile(uri, { contents: new TextEncoder().encode(after) }, metadata);
    return;
  }
  const end = before.split('\n').length;
  edit.replace(uri, new vscode.Range(0, 0, end, 0), after, metadata);
}

/** The name where it is on everybody's PATH; else the launcher of this VS Code, which is of this machine alone. */
async function findStart(launchers: string): Promise<StartedWith> {
  const isWindows = process.platform === 'win32';
  const folders = (searchPathOf(process.env) ?? '')
    .split(path.delimiter)
    .filter((folder) => folder !== launchers);
  const names = isWindows ? ['agent-harbor.cmd', 'agent-harbor.exe'] : ['agent-harbor'];
  const places = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  const isOnPath = (await Promise.all(places.map(exists))).includes(true);
  const program = isOnPath
    ? 'agent-harbor'
    : path.join(launchers, isWindows ? 'agent-harbor.cmd' : 'agent-harbor');
  // Windows starts a batch file through its shell alone.
  return isWindows ? { command: 'cmd', args: ['/c', program, 'mcp'] } : { command: program, args: ['mcp'] };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
