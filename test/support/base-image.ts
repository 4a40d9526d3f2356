import { execFile } from 'node:child_process';
import { cp, mkdir, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { messageOf } from '../../src/process/message-of.ts';
import { installOnce } from './cache.ts';
import type { TestContainers } from './containers.ts';
import { skip } from './skip.ts';
import { patience } from './wait.ts';

const execute = promisify(execFile);
const TAG = 'localhost/agent-harbor-base:3';
const PACKAGES = ['ca-certificates', 'git', 'python3', 'python3-venv', 'python3-pip', 'libstdc++6'];
const CA_FILE = '/etc/ssl/certs/ca-certificates.crt';
/** Settings of this machine's package managers that builds in the image also need. */
const SETTINGS = ['npm_config_registry', 'PIP_INDEX_URL', 'UV_DEFAULT_INDEX'];

/**
 * A base image with Node, npm and Python, which needs no registry: Debian from its mirror, with this machine's Node.
 * Made once per machine; skips the test where it cannot be made.
 * @returns its name.
 */
export async function baseImage(test: Context, { tool }: TestContainers): Promise<string> {
  try {
    if (await isThere()) return TAG;
    const { folder } = await installOnce({
      name: 'base-image',
      versions: { debian: 'bookworm', packages: PACKAGES.join(), node: process.version },
      install: makeArchive,
    });
    const variables = [
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'PIP_CERT'].map((name) => `${name}=${CA_FILE}`),
      ...SETTINGS.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [`${name}=${value}`];
      }),
    ];
    const changes = variables.flatMap((variable) => ['--change', `ENV ${variable}`]);
    await tool.ask(['import', '--quiet', ...changes, path.join(folder, 'base.tar'), TAG], {
      timeoutMs: 180_000 * patience,
    });
    return TAG;
  } catch (error) {
    return skip(test, `no base image can be made: ${messageOf(error).split('\n')[0]}`);
  }

  function isThere(): Promise<boolean> {
    return tool.ask(['image', 'inspect', TAG]).then(
      () => true,
      () => false,
    );
  }
}

async function makeArchive(folder: string): Promise<Record<string, string>> {
  const root = path.join(folder, 'root');
  const options = ['--variant=minbase', `--include=${PACKAGES.join()}`, 'bookworm', root];
  await execute('debootstrap', options, { timeout: 540_000 * patience, maxBuffer: 64 * 1_048_576 });
  const local = path.join(root, 'usr', 'local');
  await cp(process.execPath, path.join(local, 'bin', 'node'), { dereference: true });
  // `npm root --global` depends on the Node that it runs on, which may have no packages.
  const { stdout: npm } = await execute('sh', ['-c', 'command -v npm']);
  const npmFolder = path.resolve(await realpath(npm.trim()), '../..');
  await mkdir(path.join(local, 'lib', 'node_modules'), { recursive: true });
  await cp(npmFolder, path.join(local, 'lib', 'node_modules', 'npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(local, 'bin', name));
  // A mirror of packages may have its own certificate.
  await cp(process.env.NODE_EXTRA_CA_CERTS ?? CA_FILE, path.join(root, CA_FILE), { dereference: true });
  for (const unused of ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/locale'])
    await rm(path.join(root, unused), { recursive: true, force: true });
  await execute('tar', ['--create', '--file', path.join(folder, 'base.tar'), '--directory', root, '.']);
  await rm(root, { recursive: true, force: true });
  return {};
}
