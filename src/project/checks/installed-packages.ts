import path from 'node:path';
import { ancestorsOf } from '../folders-around.ts';
import { normalizePythonName } from '../normalize-python-name.ts';
import type { ProjectFiles } from '../project-files.ts';

/** The packages of a virtual environment. */
export interface InstalledPackages {
  /** The folder of the environment. */
  readonly environment: string;
  /** Names as PEP 503 compares them. */
  readonly packages: ReadonlySet<string>;
  /** Whether it has `.pth` files that may add other folders to import from. */
  readonly hasPaths: boolean;
}

/** `.pth` files of setuptools, virtualenv and editable packages, which do not import from other environments. */
const USUAL_PATH_FILES = /^(?:distutils-precedence|_virtualenv|__editable__.*|easy-install)\.pth$/;

/** Finds the project's virtual environment, and its packages; undefined when it has none. */
export async function findInstalled(
  files: ProjectFiles,
  dir: string,
): Promise<InstalledPackages | undefined> {
  for (const folder of ancestorsOf(dir)) {
    for (const environment of ['.venv', 'venv'].map((name) => path.join(folder, name))) {
      if ((await files.kind(path.join(environment, 'pyvenv.cfg'))) !== 'file') continue;
      const versions = await files.list(path.join(environment, 'lib'));
      const sites = [
        path.join(environment, 'Lib', 'site-packages'),
        ...versions.map(({ name }) => path.join(environment, 'lib', name, 'site-packages')),
      ];
      const entries = (await Promise.all(sites.map((site) => files.list(site)))).flat();
      const packages = entries.flatMap(({ name }) => {
        const match = /^(.+?)-[^-]+\.(?:dist|egg)-info$/.exec(name);
        return match?.[1] === undefined ? [] : [normalizePythonName(match[1])];
      });
      const hasPaths = entries.some(({ name }) => name.endsWith('.pth') && !USUAL_PATH_FILES.test(name));
      return { environment, packages: new Set(packages), hasPaths };
    }
  }
  return undefined;
}
