import { createHash } from 'node:crypto';
import { access, realpath } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { BuildFolder, Manifest } from './build-folder.ts';

/** Node names the libraries of its system in its report; glibc has a version, others have none. */
const Report = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });

/** The kind of machine that a build runs on: system, processor, C library, and the interface of Node's native packages. */
export function systemName(): string {
  return [process.platform, process.arch, libc(), `node${process.versions.modules}`]
    .filter(Boolean)
    .join('-');
}

function libc(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const report = Report.safeParse(process.report?.getReport());
  // What one minor version links, older ones lack.
  const glibc = report.data?.header.glibcVersionRuntime;
  return glibc === undefined ? 'musl' : `glibc${glibc}`;
}

/** The same with the path of the builds. */
export function placeOf(folder: BuildFolder): string {
  const place = createHash('sha256').update(folder.builds).digest('hex').slice(0, 12);
  return `${systemName()}-${place}`;
}

/**
 * Whether the Python of a fetched build is on this machine, in the version that its packages are for. Nothing of the
 * build is run: it may be somebody else's.
 */
export async function runsHere(build: string, { python }: Manifest): Promise<boolean> {
  if (python === null) return true;
  const file = path.resolve(build, python);
  const interpreter = await realpath(file).catch(() => undefined);
  if (interpreter === undefined || isIn(build, interpreter)) return false;
  const [version] = /\d+\.\d+$/.exec(interpreter) ?? [];
  if (version === undefined) return false;
  const packages = path.resolve(file, '..', '..', 'lib', `python${version}`);
  return access(packages).then(
    () => true,
    () => false,
  );
}

function isIn(folder: string, file: string): boolean {
  return file.startsWith(folder + path.sep);
}
