import type { ContainerTool } from './container-tool.ts';

/** A container to start. */
export interface ContainerPlan {
  readonly name: string;
  /** The ID of an image that is on this machine. */
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** A file with its environment variables. */
  readonly environmentFile: string;
  /** The names of variables whose values the tool reads from its own environment. */
  readonly environmentNames: readonly string[];
  /** Names of volumes by the folder at which they are mounted; other volumes of the image are new and empty. */
  readonly volumes: Readonly<Record<string, string>>;
  readonly limits: ResourceLimits;
  /** A port of 127.0.0.1, and the port in the container that it forwards to. */
  readonly ports: { readonly host: number; readonly container: number };
}

export interface ResourceLimits {
  readonly cpus?: number | undefined;
  readonly memoryMb?: number | undefined;
}

/**
 * The arguments of a command that starts a container in the foreground, prints its output, and ends when the
 * container ends. Values of variables are not among them, because every user of a machine can read the
 * arguments of a process.
 */
export function runArguments(tool: ContainerTool, plan: ContainerPlan): string[] {
  const { host, container } = plan.ports;
  const { cpus, memoryMb } = plan.limits;
  return tool.command(
    'run',
    ...['--name', plan.name],
    ...['--pull', 'never'],
    // The container tool keeps no log, because the deployment's log has the container's output.
    ...['--log-driver', 'none'],
    // The server itself checks whether the container is healthy.
    '--no-healthcheck',
    ...['--security-opt', 'no-new-privileges'],
    ...Object.entries(plan.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...['--env-file', plan.environmentFile],
    ...plan.environmentNames.flatMap((name) => ['--env', name]),
    ...Object.entries(plan.volumes).flatMap(([folder, volume]) => ['--volume', `${volume}:${folder}`]),
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    // Swap counts as memory, so that there is one limit.
    ...(memoryMb === undefined ? [] : ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`]),
    ...(tool.usesHostNetwork ? [] : ['--publish', `127.0.0.1:${host}:${container}`]),
    ...tool.runOptions,
    plan.imageId,
  );
}
