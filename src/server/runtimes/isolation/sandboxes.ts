import type { Socket } from 'node:net';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import { type EnvironmentFile, writeEnvironmentFile } from '../../../containers/environment-file.ts';
import type { ResourceLimits } from '../../../containers/run-arguments.ts';
import { sandboxArguments } from '../../../containers/sandbox-arguments.ts';
import { messageOf } from '../../../process/message-of.ts';
import type { LaunchRuntime } from '../process/launch-runtime.ts';
import type { RuntimeChild } from '../process/runtime-child.ts';
import { RuntimeStartError } from '../process/runtime-errors.ts';
import type { RuntimeCommand } from '../process/spawn-runtime.ts';
import { startGuardedRuntime } from './guarded-runtime.ts';
import { findReadable } from './readable-places.ts';
import { Relay } from './relay.ts';
import { type SandboxHost, userOf } from './sandbox-host.ts';

/** The limits of each container; a deployment may set another memory limit. */
const MAX_PROCESSES = 512;
const MEMORY_MB = 2_048;
/** The connection to the server is on file descriptors 3 and 4. Standard output is redirected to standard error. */
const WRAPPER = ['/bin/sh', '-c', 'exec "$@" 3<&0 4>&1 1>&2 0</dev/null', 'sh'];
const RUNTIME_FD = '3,4';
/** Variables that have no meaning inside the container: folders, and where Node keeps compiled code. */
const OUTSIDE = /^(?:HOME|TMPDIR|TEMP|TMP|XDG_.*|NODE_COMPILE_CACHE)$/;

/** Containers run Linux, so they cannot run the programs of a machine with another system. */
const ONLY_LINUX =
  'This deployment has isolation: container, which needs a server on Linux. Deploy an image instead, or set isolation to process.';

/** The graphs to isolate from this machine. */
interface SandboxRequest {
  readonly deploymentId: string;
  /** Absolute path of the folder of the build. */
  readonly folder: string;
  /** `HOME` of the deployment's builds, which may contain interpreters that they downloaded. */
  readonly home: string;
  readonly limits: ResourceLimits;
}

export interface SandboxesOptions {
  readonly host: SandboxHost;
  /** The server's own environment. */
  readonly environment: NodeJS.ProcessEnv;
  /** The ports of this machine that the graphs of a deployment may use: those of the server. */
  allowedPorts(deploymentId: string): readonly number[];
  /** Called for each connection that graphs make to these ports. */
  noteConnection(made: Socket): void;
  /** Path of the guard, which ends the container when the server ends. */
  readonly guard: string;
  readonly platform?: NodeJS.Platform;
}

/**
 * Runs graphs in separate containers, which can read only their build and the programs of this machine, and can use only
 * the network that the server's settings allow.
 */
export class Sandboxes {
  readonly #options: SandboxesOptions;

  constructor(options: SandboxesOptions) {
    this.#options = options;
  }

  /** The function that starts the graphs of a build in a container. */
  launcherOf(request: SandboxRequest): LaunchRuntime {
    return (command) => this.#launch(request, command);
  }

  /** Starts the container. @throws RuntimeStartError with the reason. */
  async #launch(request: SandboxRequest, command: RuntimeCommand): Promise<RuntimeChild> {
    if ((this.#options.platform ?? process.platform) !== 'linux') throw new RuntimeStartError(ONLY_LINUX);
    try {
      const tool = await this.#options.host.prepare();
      return await this.#start(tool, request, command);
    } catch (error) {
      throw new RuntimeStartError(`The container of the graphs could not be started: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async #start(tool: ContainerTool, request: SandboxRequest, command: RuntimeCommand): Promise<RuntimeChild> {
    const { allowedPorts, noteConnection, guard } = this.#options;
    const name = `agent-harbor-runtime-${uuidv7()}`;
    const relay = await Relay.open(() => allowedPorts(request.deploymentId), noteConnection);
    let file: EnvironmentFile | undefined;
    const cleanUp = () => Promise.all([file?.remove(), relay[Symbol.asyncDispose]()]);
    try {
      const variables = Object.entries(command.env).filter(([variable]) => !OUTSIDE.test(variable));
      file = await writeEnvironmentFile(this.#options.host.folder, name, {
        ...Object.fromEntries(variables),
        HOME: '/tmp',
        AGENT_HARBOR_RUNTIME_FD: RUNTIME_FD,
        AGENT_HARBOR_RELAY: relay.socket,
      });
      const args = await this.#arguments(tool, request, { command, name, file, relay });
      const runtime = startGuardedRuntime(guard, tool, { name, args, variables: file.others });
      void runtime.exited.then(cleanUp);
      return runtime;
    } catch (error) {
      await cleanUp();
      throw error;
    }
  }

  async #arguments(
    tool: ContainerTool,
    { folder, home, deploymentId, limits }: SandboxRequest,
    made: { command: RuntimeCommand; name: string; file: EnvironmentFile; relay: Relay },
  ): Promise<string[]> {
    const { command, name, file, relay } = made;
    const { host, environment } = this.#options;
    const user = userOf(deploymentId);
    // The runtime's own program, after the options of the interpreter.
    const program = command.args.at(-1) ?? '';
    return sandboxArguments(tool, {
      name,
      imageId: await host.ensureImage(tool),
      labels: host.labels,
      environmentFile: file.path,
      environmentNames: Object.keys(file.others),
      readable: await findReadable(
        { folders: [folder, path.dirname(program), relay.folder], home, searchPath: environment.PATH },
        [command.file],
      ),
      user: { uid: user, gid: user },
      network: environment.AGENT_HARBOR_ISOLATION_NETWORK || 'none',
      limits: {
        cpus: limits.cpus,
        memoryMb: limits.memoryMb ?? MEMORY_MB,
        processes: MAX_PROCESSES,
      },
      cwd: command.cwd,
      command: [...WRAPPER, command.file, ...command.args],
    });
  }
}
