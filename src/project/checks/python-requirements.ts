import path from 'node:path';
import type { ProjectFiles } from '../project-files.ts';

/** The requirements of a Python folder: the file, and package names as written. */
interface PythonRequirements {
  readonly file: string;
  readonly names: readonly string[];
}

/**
 * Reads the requirements in `pyproject.toml`, else in `requirements.txt`, that apply to every machine.
 * @returns undefined when the folder has neither
 */
export async function readPythonRequirements(
  files: ProjectFiles,
  folder: string,
): Promise<PythonRequirements | undefined> {
  const manifest = path.join(folder, 'pyproject.toml');
  const declared = projectDependencies((await files.read(manifest)) ?? '');
  if (declared !== undefined) return { file: manifest, names: namesOf(declared) };
  const list = path.join(folder, 'requirements.txt');
  const text = await files.read(list);
  return text === undefined ? undefined : { file: list, names: namesOf(text.split('\n')) };
}

/** The texts of `dependencies` in the table `[project]` of a pyproject.toml; undefined when there are none. */
export function projectDependencies(toml: string): string[] | undefined {
  const table = /^\[project\][^\S\n]*(?:#.*)?\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(`${toml}\n`)?.[1] ?? '';
  const start = /^dependencies\s*=\s*\[/m.exec(table);
  if (start === null) return undefined;
  const texts: string[] = [];
  // Strings may contain brackets, as in "uvicorn[standard]"; comments end with the line.
  for (const [token, double, single] of table
    .slice(start.index + start[0].length)
    .matchAll(/"([^"\n]*)"|'([^'\n]*)'|#.*|\]/g)) {
    if (token === ']') break;
    const text = double ?? single;
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/** Names at the start of lines, without options, URLs and platform-specific requirements. */
function namesOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const text = line.replace(/(?:^|\s)#.*$/, '').trim();
    if (text.includes(';')) return [];
    return /^[A-Za-z0-9][\w.-]*(?=$|[\s[<>=!~@])/.exec(text) ?? [];
  });
}
