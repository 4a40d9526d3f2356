import path from 'node:path';
import { exists } from '../process/exists.ts';
import { ifPresent } from '../process/if-present.ts';
import { readText } from '../project/read-text.ts';
import { CREDENTIALS } from '../project/secret-files.ts';
import type { ImageProject } from './image-project.ts';

/** Folders of packages, which are installed again, and files that tools have created. */
const ALWAYS = [
  '**/.git',
  '**/node_modules',
  '**/.venv',
  '**/venv',
  '**/__pycache__',
  '**/*.pyc',
  '**/.mypy_cache',
  '**/.pytest_cache',
  '**/.ruff_cache',
  '**/.langgraph_api',
  '**/.DS_Store',
];
const ENV_FILES = ['**/.env', '**/.env.*', '**/*.env', '!**/.env.example'];
/**
 * Characters with a meaning in patterns, and white space that is trimmed. They are replaced by `?`, which matches any
 * character, because they cannot be escaped on Windows.
 */
const SPECIAL = /[\\*?[\]!#^+()|{}$]|^\s|\s$/g;

/**
 * The .dockerignore for a project: the patterns of its own, then what no image needs, then env files and
 * files with credentials, which come last so that no pattern includes them again.
 */
export async function makeIgnoreFile(project: ImageProject): Promise<string> {
  const own = (await ifPresent(readText(path.join(project.context, '.dockerignore')))) ?? '';
  return [...linesOf(own), ...ALWAYS, ...secretsOf(project), ''].join('\n');
}

/**
 * Reads the .dockerignore next to a Dockerfile that was generated before, and adds the current secrets.
 * @returns undefined when there is none.
 */
export async function readIgnoreFile(dockerfile: string, project: ImageProject): Promise<string | undefined> {
  const own = `${dockerfile}.dockerignore`;
  if (!(await exists(own))) return undefined;
  return [...linesOf(await readText(own)), ...secretsOf(project), ''].join('\n');
}

function linesOf(text: string): string[] {
  return text.trimEnd().split('\n').filter(Boolean);
}

function secretsOf({ envFiles, pipConfigFile, credentialFiles }: ImageProject): string[] {
  const files = [...envFiles, pipConfigFile, ...credentialFiles].filter((file) => file !== undefined);
  return [
    ...ENV_FILES,
    ...CREDENTIALS.map((name) => `**/${name}`),
    ...files.map((file) => file.replace(SPECIAL, '?')),
  ];
}
