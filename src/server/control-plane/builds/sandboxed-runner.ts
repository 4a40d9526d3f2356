import path from 'node:path';
import { type BuildSandbox, NOT_FOUND } from '../../runtimes/isolation/build-sandbox.ts';
import { type Command, CommandError, type RunsCommands } from './command-runner.ts';
import type { DiskLimit } from './disk-limit.ts';

/** Runs each command of a build in a container, and limits the disk space of the build. */
export class SandboxedRunner implements RunsCommands {
  readonly #runner: RunsCommands;
  readonly #sandbox: BuildSandbox;
  readonly #disk: DiskLimit;

  /** @param runner runs the container tool. */
  constructor(runner: RunsCommands, sandbox: BuildSandbox, disk: DiskLimit) {
    this.#runner = runner;
    this.#sandbox = sandbox;
    this.#disk = disk;
  }

  async run(job: Command): Promise<string> {
    await using sandboxed = await this.#sandbox.commandFor({
      file: job.command,
      args: job.args,
      cwd: job.cwd,
      env: job.env,
    });
    const { command, args, env, cleanup } = sandboxed;
    const title = [path.basename(job.command), ...job.args].join(' ');
    try {
      return await this.#disk.watch(job.signal, (signal) =>
        this.#runner.run({ ...job, title, command, args, cwd: '/', env, cleanup, signal }),
      );
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== NOT_FOUND) throw error;
      const { tail, errors } = error;
      throw new CommandError(
        `'${job.command}' is not installed on this machine, or not where containers can read it.`,
        { tail, errors },
        { missing: true },
      );
    }
  }
}
