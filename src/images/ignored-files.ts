import path from 'node:path';
import { exists } from '../process/exists.ts';
import { ifPresent } from '../process/if-present.ts';
import { readText } from '../project/read-text.ts';
import { CREDENTIALS } from '../project/secret-files.ts';
import type { ImageProject } from './image-project.ts';

/** Folders that are installed again, or belong to tools. */
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
 * Characters that have a meaning in patterns, or that are trimmed. Windows has no way to escape them, but `?` matches
 * any character.
 */
const SPECIAL = /[\\*?[\]!#^+()|{}$]|^\s|\s$/g;

/**
 * The files in the context that no image contains, as a .dockerignore: those of the project's own .dockerignore, and
 * then env files and files with credentials, which no later pattern can include again.
 */
export async function makeIgnoreFile(project: ImageProject): Promise<string> {
  const own = (await ifPresent(readText(path.join(project.context, '.dockerignore')))) ?? '';
  return [...linesOf(own), ...ALWAYS, ...secretsOf(project), ''].join('\n');
}

/**
 * The .dockerignore that was written next to a Dockerfile and perhaps changed, to which the current secrets are
 * added.
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
