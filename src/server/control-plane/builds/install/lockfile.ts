import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BuildError } from '../../../../project/build-error.ts';

export interface Lockfile {
  /** The file's name, such as `package-lock.json`. */
  readonly name: string;
  /** The command that updates it. */
  readonly command: string;
}

/** @throws BuildError for a lockfile with merge conflicts. */
export async function refuseConflict(dir: string, { name, command }: Lockfile): Promise<void> {
  const text = await readFile(path.join(dir, name), 'utf8');
  if (!/^(?:<{7}|>{7}) /m.test(text)) return;
  throw new BuildError(
    `${name} contains merge conflict markers. Choose one side, run ${command} and commit ${name}.`,
  );
}
