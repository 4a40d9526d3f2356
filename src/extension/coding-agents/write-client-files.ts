import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { CODING_AGENTS, type CodingAgent, type StartCommand } from '../../coding-agents/client-files.ts';
import { findStartCommand } from '../../coding-agents/find-start-command.ts';
import { ifPresent } from '../../process/if-present.ts';
import { messageOf } from '../../process/message-of.ts';
import { searchPathOf } from '../../process/search-path.ts';
import type { FolderConfigs } from '../deployments/configs.ts';
import { chooseSeveral } from '../dialogs/steps.ts';
import { describeFiles, type WrittenFile } from './describe-files.ts';

export interface SetUpParts {
  readonly configs: FolderConfigs;
  /** The folder of the launchers, which is on the PATH of VS Code's terminals. */
  readonly launchers: string;
  /** The file of the skill. */
  readonly skill: string;
}

/** The file in which Claude Code and other agents look for a project's skill. */
const SKILL_FILE = '.claude/skills/agent-harbor/SKILL.md';

interface FileItem extends vscode.QuickPickItem {
  /** Undefined for the skill, which several agents read. */
  readonly agent: CodingAgent | undefined;
}

/**
 * Writes the files that tell coding agents about the MCP server, after asking, beside the langgraph.json; if
 * the window has several, beside the first.
 */
export async function writeClientFiles({ configs, launchers, skill }: SetUpParts): Promise<void> {
  const [config] = await configs.list();
  if (config === undefined) {
    throw new Error(vscode.l10n.t('Open a folder with a langgraph.json first.'));
  }
  const folder = path.dirname(config.uri.fsPath);
  const items = await chooseFiles();
  if (items === undefined) return;
  const started = await findStartCommand(launchers, searchPathOf(process.env) ?? '');
  const files: FileToWrite[] = [];
  for (const { agent } of items) {
    const name = agent?.file ?? SKILL_FILE;
    const write = (before: string | undefined) =>
      agent === undefined ? readFile(skill, 'utf8') : agent.addServer(before, started);
    const file = await prepareFile(path.join(folder, name), name, write);
    if (file !== undefined) files.push({ ...file, isShared: agent !== undefined });
  }
  if (files.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The coding agents are already set up.'));
    return;
  }
  if (!(await confirm(files, started))) return;
  for (const { uri, after } of files)
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(after));
  for (const { uri } of files) await vscode.window.showTextDocument(uri, { preview: false });
}

/** @returns undefined when canceled */
async function chooseFiles(): Promise<readonly FileItem[] | undefined> {
  const agentItems = CODING_AGENTS.map((agent) => ({
    label: agent.name,
    description: agent.file,
    picked: agent.file === '.mcp.json',
    agent,
  }));
  const skillItem = {
    label: vscode.l10n.t('Skill'),
    description: SKILL_FILE,
    detail: vscode.l10n.t('How to find the cause of a failure, fix it, and prove the fix'),
    picked: true,
    agent: undefined,
  };
  const answer = await chooseSeveral<FileItem>({
    title: vscode.l10n.t('Set Up Coding Agents'),
    canGoBack: false,
    placeholder: vscode.l10n.t('Select the files to write'),
    items: [...agentItems, skillItem],
  });
  return answer.kind === 'answered' ? answer.value : undefined;
}

interface FileToWrite extends WrittenFile {
  readonly uri: vscode.Uri;
  /** The text to write. */
  readonly after: string;
}

/**
 * Reads a file, and changes its text without writing it.
 * @param file its absolute path
 * @param name its path relative to the folder of langgraph.json
 * @param write returns the new text from the present one, which is undefined if the file does not exist
 * @returns undefined if it needs no change
 */
async function prepareFile(
  file: string,
  name: string,
  write: (before: string | undefined) => string | Promise<string>,
): Promise<Omit<FileToWrite, 'isShared'> | undefined> {
  const before = await ifPresent(readFile(file, 'utf8'));
  try {
    const after = await write(before);
    return after === before
      ? undefined
      : { uri: vscode.Uri.file(file), name, isNew: before === undefined, after };
  } catch (error) {
    throw new Error(vscode.l10n.t('{0} could not be changed. {1}', name, messageOf(error)));
  }
}

/** Lists the files and the command that starts the MCP server, and asks whether to write them. */
async function confirm(files: readonly FileToWrite[], { command, args }: StartCommand): Promise<boolean> {
  const write = vscode.l10n.t('Write Files');
  const detail = describeFiles(files, [command, ...args].join(' '));
  const message =
    files.length === 1
      ? vscode.l10n.t('Write 1 file for coding agents?')
      : vscode.l10n.t('Write {0} files for coding agents?', files.length);
  return (await vscode.window.showInformationMessage(message, { modal: true, detail }, write)) === write;
}
