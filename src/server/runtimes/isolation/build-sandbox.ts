import { lchown, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { writeEnvironmentFile } from '../../../containers/environment-file.ts';
import { removalOf } from '../../../containers/remove-containers.ts';
import { sandboxArguments } from '../../../containers/sandbox-arguments.ts';
import { pickVariables } from '../../../process/pick-variables.ts';
import type { RuntimeCommand } from '../process/spawn-runtime.ts';
import { findPrograms } from './machine-programs.ts';
import { findReadable } from './readable-places.ts';
import { type SandboxHost, userOf } from './sandbox-host.ts';

/** The limits of each command's container. */
const MAX_PROCESSES = 2_048;
const MEMORY_MB = 4_096;
/** The exit code for a command that does not exist in the sandbox. */
export const NOT_FOUND = 121;
/** Runs its arguments as a command, unless the command does not exist. */
const WRAPPER = ['/bin/sh', '-c', `command -v "$1" >/dev/null || exit ${NOT_FOUND}; exec "$@"`, 'sh'];
/**
 * Variables that have no meaning inside the sandbox: folders and files of this machine, and agents and shims of the
 * server's user.
 */
const OUTSIDE =
  /^(?:HOME|USER|LOGNAME|TMPDIR|TEMP|TMP|XDG_.*|SSH_.*|GIT_.*|PYENV_.*|PNPM_HOME|COREPACK_HOME|YARN_.*(?:FOLDER|DIR)|npm_config_(?:userconfig|globalconfig|cache|prefix)|PIP_(?:CONFIG_FILE|CACHE_DIR|FIND_LINKS)|UV_(?:CONFIG_FILE|FIND_LINKS|.*_DIR))$/i;
/** Variables with the paths of certificate files that the sandbox must be able to read. */
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'PIP_CERT'];

/** A build to isolate from this machine. */
interface BuildSandboxRequest {
  readonly deploymentId: string;
  /** Absolute path of the folder of the build. */
  readonly folder: string;
  /**
   * Absolute path of the folder that is kept between builds of this deployment: `HOME`, with the package managers'
   * caches.
   */
  readonly home: string;
}

/** A command of the container tool that runs a command of a build in a container. */
interface SandboxedCommand extends AsyncDisposable {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Removes the container at once. */
  readonly cleanup: readonly string[];
}

/** Runs the commands of a build in containers, which can write only to the build's folder and the deployment's `HOME`. */
export class BuildSandbox {
  readonly #host: SandboxHost;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #request: BuildSandboxRequest;
  /** The user of the containers; `isOurs` if that is the server's user. */
  readonly #user: { readonly uid: number; readonly gid: number; readonly isOurs: boolean };

  private constructor(host: SandboxHost, environment: NodeJS.ProcessEnv, request: BuildSandboxRequest) {
    this.#host = host;
    this.#environment = environment;
    this.#request = request;
    const serverUser = process.getuid?.() ?? 0;
    const deploymentUser = userOf(request.deploymentId);
    // Only root can give files to another user.
    this.#user =
      serverUser === 0
        ? { uid: deploymentUser, gid: deploymentUser, isOurs: false }
        : { uid: serverUser, gid: process.getgid?.() ?? serverUser, isOurs: true };
  }

  /**
   * Prepares the folders and the container tool for a build.
   * @param environment the server's own.
   * @throws NoContainerToolError or ContainerToolError
   */
  static async open(
    host: SandboxHost,
    environment: NodeJS.ProcessEnv,
    request: BuildSandboxRequest,
  ): Promise<BuildSandbox> {
    const sandbox = new BuildSandbox(host, environment, request);
    // Containers of an earlier server are removed first, because they could still change what is prepared here.
    await host.prepare();
    await rm(sandbox.#temporary, { recursive: true, force: true });
    await mkdir(sandbox.#temporary, { recursive: true });
    if (!sandbox.#user.isOurs)
      for (const folder of [request.folder, request.home]) await giveTo(sandbox.#user, folder);
    return sandbox;
  }

  /** Wraps a command of the build, so that it runs in a container. @throws NoContainerToolError or ContainerToolError */
  async commandFor({ file, args, cwd, env }: RuntimeCommand): Promise<SandboxedCommand> {
    const { folder, home } = this.#request;
    const tool = await this.#host.prepare();
    const name = `agent-harbor-build-${uuidv7()}`;
    const searchPath = this.#environment.PATH;
    const programs = await findPrograms(searchPath, this.#host.folder);
    const words = [file, ...args, path.join(cwd, '.venv', 'bin', 'python')];
    const readable = await findReadable(
      { folders: [folder], home, searchPath },
      await programs.interpretersAmong(words, folder),
    );
    const variables = await writeEnvironmentFile(this.#host.folder, name, {
      ...Object.fromEntries(Object.entries(env).filter(([variable]) => !OUTSIDE.test(variable))),
      PATH: `${programs.links}:${env.PATH ?? ''}`,
      HOME: home,
      TMPDIR: this.#temporary,
      // The cache and the build are on separate mounts, so files cannot be hard-linked.
      UV_LINK_MODE: 'copy',
    });
    const certificates = CERTIFICATES.flatMap((variable) => env[variable] ?? []);
    const places = [...readable, programs.links, ...programs.places, ...certificates];
    return {
      command: tool.program,
      args: sandboxArguments(tool, {
        name,
        imageId: await this.#host.ensureImage(tool),
        labels: this.#host.labels,
        environmentFile: variables.path,
        environmentNames: Object.keys(variables.others),
        readable: [...new Set(places)].filter((place) => place !== home && place !== folder),
        writable: [folder, home],
        user: this.#user,
        network: this.#environment.AGENT_HARBOR_BUILD_NETWORK || undefined,
        limits: { memoryMb: MEMORY_MB, processes: MAX_PROCESSES },
        cwd,
        command: [...WRAPPER, file, ...args],
      }),
      env: { ...pickVariables(tool.environment), ...variables.others },
      cleanup: removalOf(tool, name),
      [Symbol.asyncDispose]: variables.remove,
    };
  }

  get #temporary(): string {
    return path.join(this.#request.home, 'tmp');
  }
}

/** Makes a user the owner of a folder and its contents. For links, this changes the link, not its target. */
async function giveTo(user: { uid: number; gid: number }, place: string): Promise<void> {
  await lchown(place, user.uid, user.gid);
  for (const entry of await readdir(place, { withFileTypes: true })) {
    const inside = path.join(place, entry.name);
    if (entry.isDirectory()) await giveTo(user, inside);
    else await lchown(inside, user.uid, user.gid);
  }
}
