import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../process/make-folder.ts';

/** What a new project can be written in; each is a folder of the templates. */
export const TEMPLATES = ['typescript', 'python'] as const;
export type Template = (typeof TEMPLATES)[number];

export interface NewProject {
  /** The folder of the templates: `dist/templates` of what is installed. */
  readonly templates: string;
  readonly template: Template;
  /** Where it goes; made when it is not there. What is in it stays. */
  readonly folder: string;
  /** What a person calls it; the folder's name by default. */
  readonly name?: string | undefined;
}

export interface CreatedProject {
  readonly folder: string;
  /** As packages are named: lower case, with hyphens. */
  readonly name: string;
  readonly configPath: string;
  /** The file to read first. */
  readonly graphPath: string;
  /** Commands that make it ready, to be run in the folder. */
  readonly setup: readonly string[];
}

/** A project cannot be put where it was asked for; the message says why. */
export class CreateProjectError extends Error {
  override readonly name = 'CreateProjectError';
}

/** The name that the templates themselves bear. */
const PLACEHOLDER = /\bmy-agent\b/g;
/** Files of this name would be left out of packages if they were called what they are. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/**
 * Writes a small agent that works offline, to begin a project with. No file is written over.
 * @throws CreateProjectError when a file of the template is there already, or the place is no folder.
 */
export async function createProject({
  templates,
  template,
  folder,
  name,
}: NewProject): Promise<CreatedProject> {
  const packageName = packageNameOf(name ?? path.basename(path.resolve(folder)));
  const source = path.join(templates, template);
  const files = (await filesBelow(source)).map((file) => ({
    from: path.join(source, file),
    to: path.join(folder, path.dirname(file), RENAMED[path.basename(file)] ?? path.basename(file)),
  }));
  for (const { to } of files) {
    if (await exists(to)) {
      throw new CreateProjectError(`${to} already exists: choose another folder, or remove it.`);
    }
  }
  for (const { from, to } of files) {
    const text = await readFile(from, 'utf8');
    await makeFolder(path.dirname(to)).catch((error: NodeJS.ErrnoException) => {
      throw new CreateProjectError(`${path.dirname(to)} cannot be created: ${error.message}`);
    });
    await writeFile(to, text.replace(PLACEHOLDER, packageName), { flag: 'wx' });
  }
  return {
    folder,
    name: packageName,
    configPath: path.join(folder, 'langgraph.json'),
    graphPath: path.join(folder, 'src', 'agent', template === 'python' ? 'graph.py' : 'graph.ts'),
    setup: SETUP[template],
  };
}

const onWindows = process.platform === 'win32';
const SETUP: Readonly<Record<Template, readonly string[]>> = {
  typescript: ['npm install'],
  python: onWindows
    ? ['py -m venv .venv', '.venv\\Scripts\\python -m pip install -e .']
    : ['python3 -m venv .venv', '.venv/bin/python -m pip install -e .'],
};

function packageNameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'my-agent' : plain;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    // Something that is no folder on the way there is found when folders are made.
    () => false,
  );
}
