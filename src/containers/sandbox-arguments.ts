import type { ContainerTool } from './container-tool.ts';
import type { ResourceLimits } from './run-arguments.ts';
import { withoutNetwork } from './tool-options.ts';

/** A container in which a program of this machine runs, isolated from everything else on the machine. */
export interface SandboxPlan {
  readonly name: string;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** A file with its environment variables. */
  readonly environmentFile: string;
  /** The names of variables whose values the tool reads from its own environment. */
  readonly environmentNames: readonly string[];
  /** Files and folders on this machine that have the same path in the container and cannot be changed there. */
  readonly readable: readonly string[];
  /** Folders on this machine that the program may change. */
  readonly writable?: readonly string[];
  /**
   * The user that the program runs as, who need not exist on this machine; `isOurs` if it is the user of this process.
   */
  readonly user: { readonly uid: number; readonly gid: number; readonly isOurs?: boolean };
  /** A network of the container tool, or `none`; the tool's default when absent. */
  readonly network: string | undefined;
  readonly limits: ResourceLimits & { readonly processes: number };
  readonly cwd: string;
  readonly command: readonly string[];
}

/** The arguments of a command that runs a sandbox in the foreground, with the command's own standard streams. */
export function sandboxArguments(tool: ContainerTool, plan: SandboxPlan): string[] {
  const { cpus, memoryMb, processes } = plan.limits;
  return tool.command(
    'run',
    '--interactive',
    '--rm',
    ...['--name', plan.name],
    ...['--pull', 'never'],
    ...['--log-driver', 'none'],
    ...Object.entries(plan.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...withoutNetwork(tool.runOptions),
    '--read-only',
    ...['--tmpfs', '/tmp:rw,mode=1777,size=256m'],
    ...['--cap-drop', 'all'],
    ...['--security-opt', 'no-new-privileges'],
    // Files keep their SELinux labels, because they do not belong to the container.
    ...['--security-opt', 'label=disable'],
    ...['--user', `${plan.user.uid}:${plan.user.gid}`],
    // Podman without root maps user IDs by default. Files should belong to the current user.
    ...(plan.user.isOurs === true && tool.name === 'podman' ? ['--userns', 'keep-id'] : []),
    ...(plan.network === undefined ? [] : ['--network', plan.network]),
    ...['--ipc', 'private'],
    ...['--pids-limit', String(processes)],
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...(memoryMb === undefined ? [] : ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`]),
    ...['--env-file', plan.environmentFile],
    ...plan.environmentNames.flatMap((name) => ['--env', name]),
    ...plan.readable.flatMap((place) => ['--mount', `type=bind,source=${place},target=${place},readonly`]),
    ...(plan.writable ?? []).flatMap((place) => ['--mount', `type=bind,source=${place},target=${place}`]),
    ...['--workdir', plan.cwd],
    plan.imageId,
    ...plan.command,
  );
}
