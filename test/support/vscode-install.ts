import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { installOnce, npm } from './cache.ts';

/** VS Code with its Node extension host, from the npm package `code-server`: 4.x.y contains VS Code 1.x.y. */
const codeServerVersion = '4.139.1';
export const vscodeVersion = '1.139.1';

export interface VsCodeInstallation {
  readonly serverMain: string;
  /** `works`, or why the integrated terminal does not on this machine. */
  readonly terminal: string;
}

/**
 * Fetches VS Code into the cache on first use (some 600 MB, under half a minute).
 *
 * @param onFetch called before it fetches
 */
export async function installVsCode(onFetch?: () => void): Promise<VsCodeInstallation> {
  const logWriter = await readFile(path.join(import.meta.dirname, 'vscode-log-writer.cjs'), 'utf8');
  const { folder, stamp } = await installOnce({
    name: 'code-server',
    versions: { 'code-server': codeServerVersion, logWriter: hash('sha256', logWriter) },
    install: async (target) => {
      onFetch?.();
      await writeFile(path.join(target, 'package.json'), '{ "private": true }\n');
      // The install scripts of code-server's packages compile native modules that nothing here needs.
      await npm(
        ['install', '--ignore-scripts', '--no-package-lock', `code-server@${codeServerVersion}`],
        target,
      );
      const vscode = vscodeFolder(target);
      await npm(['install', '--omit=dev', '--ignore-scripts', '--no-package-lock'], vscode);
      await writeFile(path.join(vscode, 'node_modules', '@vscode', 'spdlog', 'index.js'), logWriter);
      return { terminal: await prepareTerminal(vscode) };
    },
  });
  return {
    serverMain: path.join(vscodeFolder(folder), 'out', 'server-main.js'),
    terminal: stamp.notes.terminal ?? 'unknown',
  };
}

function vscodeFolder(installation: string): string {
  return path.join(installation, 'node_modules', 'code-server', 'lib', 'vscode');
}

/** The terminal needs node-pty's native module: shipped for the usual platforms, else compiled if that works. */
async function prepareTerminal(vscode: string): Promise<string> {
  const require = createRequire(path.join(vscode, 'package.json'));
  try {
    require('node-pty');
    return 'works';
  } catch {
    try {
      await npm(['rebuild', 'node-pty', '--ignore-scripts=false'], vscode);
      require('node-pty');
      return 'works';
    } catch (error) {
      return `node-pty could not be built: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
