import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { exists } from '../../process/exists.ts';
import type { Template } from '../../project/create-project.ts';
import { ask, choose, type Step, takeAnswer, walk } from '../dialogs/steps.ts';
import type { NewProjects, WayToOpen } from './new-projects.ts';

/** The answers so far. */
interface Answers {
  template: Template;
  parent: vscode.Uri;
  name: string;
  way: WayToOpen;
}

const DEFAULT_NAME = 'my-agent';

export interface CreateProjectParts {
  /** The folder of the project templates. */
  readonly templates: string;
  readonly newProjects: NewProjects;
}

/** Asks for a project, creates it with a small agent that works offline, opens it, and prepares it to run. */
export async function askAndCreateProject({ templates, newProjects }: CreateProjectParts): Promise<void> {
  const answers: Partial<Answers> = {};
  const steps = [askForTemplate, askForPlace, askForName, askForWay].map((step) => step(answers));
  if (!(await walk(steps))) return;
  // The way is not asked for below an open folder.
  const { template, parent, name, way = 'here' } = answers;
  if (template === undefined || parent === undefined || name === undefined) return;
  const { createProject } = await import('../../project/create-project.ts');
  const project = await createProject({ templates, template, folder: path.join(parent.fsPath, name) });
  newProjects.open(project, way);
}

function titleOf(step: number): string {
  return vscode.l10n.t('Create Agent Project ({0}/{1})', step, hasFolders() ? 4 : 3);
}

function hasFolders(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).length > 0;
}

function askForTemplate(answers: Partial<Answers>): Step {
  return async (canGoBack) => {
    const items = [
      { label: 'TypeScript', detail: vscode.l10n.t('Requires Node.js 20 or later.'), template: 'typescript' },
      { label: 'Python', detail: vscode.l10n.t('Requires Python 3.11 or later.'), template: 'python' },
    ] as const;
    const placeholder = vscode.l10n.t('Select a language. Both templates work offline without an API key.');
    const isActive = ({ template }: (typeof items)[number]) => template === answers.template;
    const answer = await choose({ title: titleOf(1), canGoBack, placeholder, items, isActive });
    return takeAnswer(answer, ({ template }) => {
      answers.template = template;
    });
  };
}

/** Asks for the folder in which to create the project's folder. */
function askForPlace(answers: Partial<Answers>): Step {
  return async (canGoBack) => {
    const placeholder = vscode.l10n.t('Select a parent folder');
    for (;;) {
      const answer = await choose({
        title: titleOf(2),
        canGoBack,
        placeholder,
        items: places(answers.parent),
      });
      if (answer.kind !== 'answered') return answer.kind;
      const parent = answer.value.uri ?? (await browse());
      // Canceling the folder dialog returns to the question.
      if (parent === undefined) continue;
      answers.parent = parent;
      return 'next';
    }
  };
}

/**
 * The folders to choose from: the open folders, the one that was chosen before, the home folder, and
 * *Browse*, which has no `uri`.
 */
function places(chosen: vscode.Uri | undefined) {
  const open = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const known = open.map(({ name, uri }) => ({
    label: name,
    uri,
    iconPath: new vscode.ThemeIcon('root-folder'),
  }));
  const home = vscode.Uri.file(homedir());
  for (const uri of chosen === undefined ? [home] : [chosen, home]) {
    if (known.some((place) => place.uri.fsPath === uri.fsPath)) continue;
    known.push({
      label: path.basename(uri.fsPath) || uri.fsPath,
      uri,
      iconPath: new vscode.ThemeIcon('folder'),
    });
  }
  return [
    ...known.map((place) => ({ ...place, description: place.uri.fsPath })),
    {
      label: vscode.l10n.t('Browse…'),
      description: '',
      uri: undefined,
      iconPath: new vscode.ThemeIcon('folder-opened'),
    },
  ];
}

/** Lets the user choose a folder in a dialog. @returns undefined when canceled */
async function browse(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
    title: vscode.l10n.t('Select a parent folder'),
    openLabel: vscode.l10n.t('Create Here'),
  });
  return chosen?.[0];
}

function askForName(answers: Partial<Answers>): Step {
  return async (canGoBack) => {
    const parent = answers.parent?.fsPath ?? '';
    const answer = await ask({
      title: titleOf(3),
      canGoBack,
      prompt: vscode.l10n.t('Project name (also the folder name)'),
      value: answers.name ?? (await findFreeName(parent)),
      check: async (name) => {
        if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name))
          return vscode.l10n.t('Use only letters, digits, dots, hyphens, and underscores.');
        return (await exists(path.join(parent, name)))
          ? vscode.l10n.t('{0} already exists in {1}. Enter another name.', name, parent)
          : undefined;
      },
    });
    return takeAnswer(answer, (name) => {
      answers.name = name;
    });
  };
}

/**
 * Asks where to open the project. It does not ask if the project is below an open folder, or if this window
 * is empty and can be used.
 */
function askForWay(answers: Partial<Answers>): Step {
  return async (canGoBack) => {
    delete answers.way;
    if (answers.parent && vscode.workspace.getWorkspaceFolder(answers.parent) !== undefined) return 'skipped';
    if (!hasFolders()) {
      answers.way = 'this-window';
      return 'skipped';
    }
    const items: (vscode.QuickPickItem & { way: WayToOpen })[] = [
      {
        label: vscode.l10n.t('Open'),
        detail: vscode.l10n.t('Opens the project in this window and installs its dependencies.'),
        way: 'this-window',
      },
      {
        label: vscode.l10n.t('Open in New Window'),
        detail: vscode.l10n.t('Opens the project in a new window and installs its dependencies.'),
        way: 'new-window',
      },
      {
        label: vscode.l10n.t('Add to Workspace'),
        detail: vscode.l10n.t(
          'Adds the project to the folders of this window and installs its dependencies.',
        ),
        way: 'add',
      },
    ];
    const placeholder = vscode.l10n.t('Select where to open the project');
    return takeAnswer(await choose({ title: titleOf(4), canGoBack, placeholder, items }), ({ way }) => {
      answers.way = way;
    });
  };
}

/** `my-agent`, or `my-agent-2` if that exists. */
async function findFreeName(parent: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? DEFAULT_NAME : `${DEFAULT_NAME}-${count}`;
    if (!(await exists(path.join(parent, name)))) return name;
  }
}
