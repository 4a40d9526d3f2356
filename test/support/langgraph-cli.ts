import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { installOnce } from './cache.ts';
import { patience } from './wait.ts';

const run = promisify(execFile);
const VERSION = '0.4.40';
const windows = process.platform === 'win32';

/**
 * The public `langgraph` command line, from PyPI, in a virtual environment of the cache.
 * @returns its program, or why it is not available
 */
export async function langgraphCli(): Promise<{ file: string } | { missing: string }> {
  try {
    const { folder } = await installOnce({
      name: 'langgraph-cli',
      versions: { 'langgraph-cli': VERSION },
      install: async (target) => {
        // A virtual environment contains its own path, but what is installed here must work after its folder was
        // renamed.
        const packages = path.join(target, 'packages');
        await run(
          windows ? 'python' : 'python3',
          [
            '-m',
            'pip',
            'install',
            '--quiet',
            '--disable-pip-version-check',
            '--target',
            packages,
            `langgraph-cli==${VERSION}`,
          ],
          {
            timeout: 240_000 * patience,
          },
        );
        return {};
      },
    });
    return { file: path.join(folder, 'packages') };
  } catch (error) {
    return { missing: `langgraph-cli ${VERSION} cannot be installed here: ${String(error).split('\n')[0]}` };
  }
}

export interface CliResult {
  readonly code: number;
  readonly output: string;
}

/** Runs `langgraph <args>` and never throws. */
export async function langgraph(
  packages: string,
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<CliResult> {
  const program = 'import sys; from langgraph_cli.cli import cli; sys.exit(cli())';
  try {
    const { stdout, stderr } = await run(windows ? 'python' : 'python3', ['-c', program, ...args], {
      cwd: options.cwd,
      timeout: 110_000 * patience,
      env: {
        ...process.env,
        PYTHONPATH: packages,
        LANGGRAPH_CLI_NO_ANALYTICS: '1',
        NO_COLOR: '1',
        ...options.env,
      },
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: code ?? 1, output: stdout + stderr };
  }
}
