import path from 'node:path';
import type { ProjectFiles } from '../project-files.ts';

/** What a Python folder asks for: where it says so, and names of packages as they are written. */
export interface PythonRequirements {
  readonly file: string;
  readonly names: readonly string[];
}

/** What the `pyproject.toml` or else the `requirements.txt` of a folder asks for on every machine. */
export async function pythonRequirements(
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

/** The texts of `dependencies` in the table `[project]`; undefined when there are none. */
function projectDependencies(toml: string): string[] | undefined {
  const table = /^\[project\][^\S\n]*(?:#.*)?\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(`${toml}\n`)?.[1] ?? '';
  const start = /^dependencies\s*=\s*\[/m.exec(table);
  if (start === null) return undefined;
  const texts: string[] = [];
  // Brackets stand in texts, too, as in "uvicorn[standard]"; comments go to the end of the line.
  for (const [token, double, single] of table
    .slice(start.index + start[0].length)
    .matchAll(/"([^"\n]*)"|'([^'\n]*)'|#.*|\]/g)) {
    if (token === ']') break;
    const text = double ?? single;
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/** Names at the beginning of lines; options, addresses, and what is only for some machines are left out. */
function namesOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const text = line.replace(/(?:^|\s)#.*$/, '').trim();
    if (text.includes(';')) return [];
    return /^[A-Za-z0-9][\w.-]*(?=$|[\s[<>=!~@])/.exec(text) ?? [];
  });
}
