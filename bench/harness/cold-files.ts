import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { compileCacheDir } from '../../src/launcher/compile-cache.ts';

const root = path.resolve(import.meta.dirname, '../..');

const run = promisify(execFile);

/** Node cannot give the kernel this advice. An environment names the Python that it was created with. */
const FORGET = `
import os, sys
folders = sys.argv[1:]
for folder in sys.argv[1:]:
    try:
        with open(os.path.join(folder, '.venv', 'pyvenv.cfg'), encoding='utf-8') as settings:
            fields = dict(line.strip().split(' = ', 1) for line in settings if ' = ' in line)
    except FileNotFoundError:
        continue
    library = os.path.join(os.path.dirname(fields['home']), 'lib')
    folders += [os.path.join(library, name) for name in os.listdir(library) if name.startswith('python3')]
count = 0
for folder in folders:
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                file = os.open(os.path.join(path, name), os.O_RDONLY | os.O_NONBLOCK)
            except OSError:
                continue
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)
            count += 1
print(count)
`;

/**
 * Makes the kernel drop the files of a project, its packages, its Python, and Agent Harbor from memory, as after a
 * reboot. Programs and libraries that are in use stay. Linux only; needs `python3`.
 *
 * @throws an Error when nothing could be dropped
 */
export async function forgetFiles(project: string): Promise<void> {
  const folders = [project, path.join(root, 'dist'), compileCacheDir()];
  const { stdout } = await run('python3', ['-I', '-S', '-c', FORGET, ...folders]);
  if (!(Number(stdout) > 0)) throw new Error(`No file of ${project} could be read.`);
}
