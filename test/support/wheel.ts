import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { findPython } from './python-environments.ts';

/** Makes a wheel with these files, which pip can install without a network. @returns its path */
export async function makeWheel(
  folder: string,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const wheel = path.join(folder, `${name}-1.0-py3-none-any.whl`);
  const info = `${name}-1.0.dist-info`;
  const contents = {
    ...files,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const record = [...Object.keys(contents), `${info}/RECORD`].map((file) => `${file},,\n`).join('');
  const program = [
    'import json, sys, zipfile',
    "with zipfile.ZipFile(sys.argv[1], 'w') as wheel:",
    '    for name, text in json.loads(sys.argv[2]).items():',
    '        wheel.writestr(name, text)',
  ].join('\n');
  const python = await findPython();
  const all = JSON.stringify({ ...contents, [`${info}/RECORD`]: record });
  await promisify(execFile)(python.file, ['-c', program, wheel, all]);
  return wheel;
}
