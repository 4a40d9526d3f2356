import type { ContainerTool } from './container-tool.ts';
import type { ResourceLimits } from './run-arguments.ts';
import { withoutNetwork } from './tool-options.ts';

/** A container that keeps a program of this machine apart from everything else on it. */
export interface SandboxPlan {
  readonly name: string;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly environmentFile: string;
  readonly environmentNames: readonly string[];
  /** Files and folders of this machine, which are at the same place in the container and cannot be changed. */
  readonly readable: readonly string[];
  /** The id of its user and group, who has no name. */
  readonly user: number;
  /** A network of the container tool, or `none`. */
  readonly network: string;
  readonly limits: ResourceLimits & { readonly processes: number };
  readonly cwd: string;
  readonly command: readonly string[];
}

/** The arguments that run a sandbox in the foreground: its standard streams are the command's. */
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
    // Files keep the labels they have; they are not the container's.
    ...['--security-opt', 'label=disable'],
    ...['--user', `${plan.user}:${plan.user}`],
    ...['--network', plan.network],
    ...['--ipc', 'private'],
    ...['--pids-limit', String(processes)],
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...(memoryMb === undefined ? [] : ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`]),
    ...['--env-file', plan.environmentFile],
    ...plan.environmentNames.flatMap((name) => ['--env', name]),
    ...plan.readable.flatMap((place) => ['--mount', `type=bind,source=${place},target=${place},readonly`]),
    ...['--workdir', plan.cwd],
    plan.imageId,
    ...plan.command,
  );
}
