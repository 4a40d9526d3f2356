import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../process/exists.ts';
import { makeFolder } from '../process/make-folder.ts';
import { beginRepository } from './begin-repository.ts';

/** Languages of new projects; each has a template folder. */
export const TEMPLATES = ['typescript', 'python'] as const;
export type Template = (typeof TEMPLATES)[number];

export interface NewProject {
  /** The template folder, `dist/templates`. */
  readonly templates: string;
  readonly template: Template;
  /** Target folder; created if needed, existing files are kept. */
  readonly folder: string;
  /** The name from which the package name is made; the default is the folder name. */
  readonly name?: string | undefined;
}

export interface CreatedProject {
  readonly folder: string;
  /** Package name: lower case, with hyphens. */
  readonly name: string;
  readonly configPath: string;
  /** The file to read first. */
  readonly graphPath: string;
  /** Setup commands, to be run in the folder. */
  readonly setup: readonly string[];
}

/** The project cannot be created there; the message says why. */
export class CreateProjectError extends Error {
  override readonly name = 'CreateProjectError';
}

/** The package name in the templates, and that of a project whose name has no letters or digits. */
const PLACEHOLDER_NAME = 'my-agent';
const PLACEHOLDER = new RegExp(`\\b${PLACEHOLDER_NAME}\\b`, 'g');
/** Template files that are renamed on creation, because npm leaves `.gitignore` out of packages. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/**
 * Creates a project with a small agent that works offline, and initializes a git repository. Existing files are never
 * overwritten.
 * @throws CreateProjectError when a file of the template already exists, or a folder cannot be created; the error of the
 * file system when a file cannot be written, which leaves those before it.
 */
export async function createProject({
  templates,
  template,
  folder,
  name,
}: NewProject): Promise<CreatedProject> {
  const packageName = packageNameOf(name ?? path.basename(path.resolve(folder)));
  const source = path.join(templates, template);
  const files = (await listFilesBelow(source)).map((file) => ({
    from: path.join(source, file),
    to: path.join(folder, path.dirname(file), RENAMED[path.basename(file)] ?? path.basename(file)),
  }));
  for (const { to } of files) {
    if (await exists(to)) {
      throw new CreateProjectError(`${to} already exists. Choose another folder, or remove it.`);
    }
  }
  for (const { from, to } of files) {
    const text = await readFile(from, 'utf8');
    await makeFolder(path.dirname(to)).catch((error: NodeJS.ErrnoException) => {
      throw new CreateProjectError(
        `${path.dirname(to)} could not be created: ${error.message}. Choose another folder.`,
      );
    });
    await writeFile(to, text.replace(PLACEHOLDER, packageName), { flag: 'wx' });
  }
  await beginRepository(folder);
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
  return plain === '' ? PLACEHOLDER_NAME : plain;
}

async function listFilesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}
