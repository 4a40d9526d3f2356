import path from 'node:path';
import { mergeEnvironments } from '../../../../process/merge-environments.ts';
import { messageOf } from '../../../../process/message-of.ts';
import { searchPathOf } from '../../../../process/search-path.ts';
import { BuildError } from '../../../../project/build-error.ts';
import type { NodeInstall, NodeManager } from '../../../../project/install/node-install.ts';
import { findNodeManager, nodeInstall, upwards } from '../../../../project/install/node-manager.ts';
import { BUILT_UI_FOLDER } from '../../../agent-server/ui/built-bundle.ts';
import {
  BUNDLER_PROGRAM,
  bundlerVariables,
  missingBundlerSentence,
} from '../../../agent-server/ui/ui-bundler.ts';
import type { Project } from '../../../runtimes/project/project.ts';
import { pythonVersionIn } from '../../../runtimes/project/project-config.ts';
import { findSystemPython } from '../../../runtimes/python/python-executable.ts';
import { CommandError, looksLikeError, type RunsCommands } from '../command-runner.ts';
import type { SourceContext } from '../sources/source.ts';
import { splitCommandLine } from './command-line.ts';
import { explainFailure } from './explain-failure.ts';
import { type Lockfile, refuseConflict } from './lockfile.ts';
import { findUvLock, pythonInstall } from './python-packages.ts';
import type { Step } from './step.ts';

export interface InstallerOptions {
  readonly runner: RunsCommands;
  readonly env: Readonly<Record<string, string>>;
  /** The time limit of one command in milliseconds, including the scripts of packages. */
  readonly timeoutMs: number;
}

export interface Installation {
  readonly project: Project;
  /** The top of the source. */
  readonly top: string;
  /** The deployment's own command line, which replaces the package manager. */
  readonly installCommand: string | null;
  /** The deployment's command line that is run after the installation. */
  readonly buildCommand: string | null;
}

/** The result of an installation. */
export interface Installed {
  /** Absolute path of the Python environment's folder; undefined if none was created. */
  readonly python: string | undefined;
}

/** How long a package manager may take to report its version; corepack may download it first. */
const MANAGER_VERSION_MS = 60_000;
const UV_VERSION_MS = 10_000;

const UV_LOCK: Lockfile = { name: 'uv.lock', command: 'uv lock' };

/** Installs the packages of a source with the tools that its files determine. */
export class Installer {
  readonly #options: InstallerOptions;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  /**
   * Installs the packages of a project.
   * @throws BuildError, or CommandLineError for the deployment's own command line; the signal's reason when
   * aborted.
   */
  async install(installation: Installation, context: SourceContext): Promise<Installed> {
    const { project, installCommand } = installation;
    if (installCommand !== null) {
      await this.#runLine(installCommand, project.dir, context);
      return { python: undefined };
    }
    if (needsNodePackages(project)) await this.#installNode(installation, context);
    const python = project.languages.has('python')
      ? await this.#installPython(installation, context)
      : undefined;
    return { python };
  }

  /** Runs the deployment's own build command, if it has one. @throws as `install` does. */
  async build({ project, buildCommand }: Installation, context: SourceContext): Promise<void> {
    if (buildCommand !== null) await this.#runLine(buildCommand, project.dir, context);
  }

  /**
   * Bundles the components in `ui` of langgraph.json, each agent's separately. Problems are logged, because the
   * graphs work without them.
   * @throws the signal's reason when aborted.
   */
  async bundleUi({ project, top }: Installation, context: SourceContext): Promise<void> {
    const programs = upwards(project.dir, top).map((dir) => path.join(dir, 'node_modules', '.bin'));
    const searchPath = [...programs, searchPathOf(this.#options.env)].join(path.delimiter);
    for (const [agent, place] of Object.entries(project.config.ui ?? {})) {
      const step = {
        command: BUNDLER_PROGRAM,
        args: ['build', '--output', BUILT_UI_FOLDER],
        cwd: project.dir,
        env: { ...bundlerVariables(project, agent, place), PATH: searchPath },
      };
      try {
        await this.#run(step, context);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        const reason = error.missing ? missingBundlerSentence('the build') : messageOf(explainFailure(error));
        context.log('WARNING', `The components of '${agent}' could not be bundled: ${reason}`);
      }
    }
  }

  async #installNode({ project, top }: Installation, context: SourceContext): Promise<void> {
    const packages = await findNodeManager(project.dir, top);
    if (packages === undefined) {
      context.log('INFO', 'No package.json. Nothing to install.');
      return;
    }
    if (packages.lockfile === undefined) {
      context.log('WARNING', 'No lockfile. The next build may install other versions.');
    }
    const { manager, dir } = packages;
    const lockfile = lockfileOf(packages);
    if (lockfile !== undefined) await refuseConflict(dir, lockfile);
    const install = await nodeInstall(packages);
    const step = { command: manager, args: install.args, cwd: dir, env: install.env };
    const problem = manager === 'npm' ? undefined : await this.#problemOfManager(step, install, context);
    if (problem !== undefined) return this.#runFromNpm(step, { install, problem, lockfile }, context);
    await this.#run(step, context).catch((error: unknown) => {
      throw explainFailure(error, lockfile);
    });
  }

  /** Why the installed package manager cannot be used, as a clause; undefined when it can. */
  async #problemOfManager(
    { command, cwd, env }: Step,
    install: NodeInstall,
    { signal }: SourceContext,
  ): Promise<string | undefined> {
    const { runner, env: base } = this.#options;
    const ask = {
      command,
      args: ['--version'],
      cwd,
      env: mergeEnvironments([base, env ?? {}]),
      timeoutMs: MANAGER_VERSION_MS,
      signal,
    };
    try {
      const version = (await runner.run(ask)).trim();
      return install.accepts(version) ? undefined : `${command} on this machine is ${version}`;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      // Yarn 1 fails if package.json requires another version.
      return error.missing
        ? `${command} is not installed on this machine`
        : `${command} on this machine does not support this project`;
    }
  }

  /** Runs a package manager that is missing, or has the wrong version, from the npm registry, as `npx` does. */
  async #runFromNpm(
    step: Step,
    { install, problem, lockfile }: { install: NodeInstall; problem: string; lockfile: Lockfile | undefined },
    context: SourceContext,
  ): Promise<void> {
    const { command: manager } = step;
    const fromNpm = (args: readonly string[]) => ({
      ...step,
      command: 'npm',
      args: ['exec', '--yes', `--package=${install.package}`, '--', manager, ...args],
    });
    context.log('INFO', `Running ${install.package} with npm: ${problem}.`);
    await this.#run(fromNpm(['--version']), context).catch((error: unknown) => {
      const reason = explainFailure(error);
      if (!(reason instanceof BuildError)) throw reason;
      throw new BuildError(
        `${problem}, and npm could not get ${install.package}. Install that version of ${manager}, or set install_command. ${reason.message}`,
      );
    });
    await this.#run(fromNpm(step.args), context).catch((error: unknown) => {
      throw explainFailure(error, lockfile);
    });
  }

  /** Creates a Python environment with the project's packages. @returns the environment's folder. */
  async #installPython({ project, top }: Installation, context: SourceContext): Promise<string> {
    const locked = await findUvLock(project.dir, top);
    const hasUv = await this.#hasUv(top, context);
    if (locked !== undefined && !hasUv) {
      context.log('WARNING', 'uv is not installed. Using pip, which does not read uv.lock.');
    }
    const lockfile = locked !== undefined && hasUv ? UV_LOCK : undefined;
    if (locked !== undefined && lockfile !== undefined) await refuseConflict(locked, lockfile);
    const { env } = this.#options;
    const { venv, steps } = await pythonInstall(
      {
        configDir: project.dir,
        top,
        dependencies: project.config.dependencies ?? ['.'],
        pythonVersion: pythonVersionIn(project.config),
        locked,
      },
      { hasUv, findPython: (wanted) => findSystemPython(searchPathOf(env), wanted) },
    );
    for (const step of steps) {
      await this.#run(step, context).catch((error: unknown) => {
        throw explainFailure(error, lockfile);
      });
    }
    return venv;
  }

  /** Whether uv can be run. It counts as missing for any failure, because pip can replace it. */
  async #hasUv(cwd: string, { signal }: SourceContext): Promise<boolean> {
    const { runner, env } = this.#options;
    const version = { command: 'uv', args: ['--version'], cwd, env, timeoutMs: UV_VERSION_MS, signal };
    return runner.run(version).then(
      () => true,
      () => false,
    );
  }

  async #runLine(line: string, cwd: string, context: SourceContext): Promise<void> {
    const [command, ...args] = splitCommandLine(line);
    await this.#run({ command, args, cwd }, context).catch((error: unknown) => {
      throw explainFailure(error);
    });
  }

  /** Runs one command, and logs its output. @throws CommandError; the signal's reason when aborted. */
  async #run({ command, args, cwd, env: own }: Step, { signal, log }: SourceContext): Promise<void> {
    const { runner, env, timeoutMs } = this.#options;
    log('INFO', `$ ${[path.basename(command), ...args].join(' ')}`);
    await runner.run({
      command,
      args,
      cwd,
      env: mergeEnvironments([env, own ?? {}]),
      timeoutMs,
      signal,
      onLine: (line, from) => {
        if (line.trim() !== '') log(from === 'stderr' && looksLikeError(line) ? 'ERROR' : 'INFO', line);
      },
    });
  }
}

/** Whether Node packages have to be installed: for graphs, for extras, or for the bundler of `ui`. */
export function needsNodePackages({ languages, config }: Project): boolean {
  return languages.has('node') || config.ui !== undefined;
}

function lockfileOf({ manager, lockfile }: NodeManager): Lockfile | undefined {
  return lockfile === undefined ? undefined : { name: lockfile, command: `${manager} install` };
}
