import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import type { RememberedTool } from '../../../containers/remembered-tool.ts';
import { removeContainers } from '../../../containers/remove-containers.ts';
import { messageOf } from '../../../process/message-of.ts';
import { readSeconds } from '../../../process/read-seconds.ts';
import { isTracingVariable } from '../../../project/tracing-variables.ts';
import type { AccessOptions } from '../../agent-server/agent-server-options.ts';
import { ArgumentError } from '../../argument-error.ts';
import type { Logger } from '../../logger.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { type TracingTarget, tracingVariables } from '../../runtimes/process/runtime-environment.ts';
import type { CommandRunner } from '../builds/command-runner.ts';
import { Container } from './container.ts';
import { ImageServer } from './image-server.ts';

/** Labels with the data folder and the deployment of a container. */
const FOLDER_LABEL = 'dev.agent-harbor.data-folder';
const DEPLOYMENT_LABEL = 'dev.agent-harbor.deployment';
/** The variable for how long a container's server may take to respond, in seconds. */
const START_VARIABLE = 'AGENT_HARBOR_CONTAINER_START_SECONDS';
const DEFAULT_START_SECONDS = 120;

export interface ImageServingOptions {
  readonly dataDir: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly tools: RememberedTool;
  readonly runner: CommandRunner;
  readonly logger: Logger;
  readonly sleepAfterMs: number;
  accessTo(deployment: { readonly id: string; readonly workspaceId: string }): AccessOptions;
}

/**
 * Creates the servers of deployments from images. The containers are labeled with the data folder, so that leftovers of
 * an earlier server can be removed without touching other containers.
 */
export class ImageServing {
  readonly #options: ImageServingOptions;
  readonly #folder: string;
  readonly #startTimeoutMs: number;
  #cleaned: Promise<void> | undefined;

  /** @throws ArgumentError for a variable that is not a number of seconds */
  constructor(options: ImageServingOptions) {
    this.#options = options;
    this.#startTimeoutMs = readStartSeconds(options.environment) * 1_000;
    this.#folder = createHash('sha256').update(path.resolve(options.dataDir)).digest('hex').slice(0, 16);
  }

  /**
   * Creates the server of a deployment, without starting it.
   * @param tracing where the deployment's traces are sent, unless its secrets specify another place.
   */
  makeServer(
    deployment: { id: string; workspace_id: string },
    { log, tracing }: { log: LogBook; tracing: TracingTarget },
  ): ImageServer {
    const { tools, runner, dataDir, logger, sleepAfterMs, accessTo } = this.#options;
    return new ImageServer({
      log,
      logger,
      sleepAfterMs,
      access: accessTo({ id: deployment.id, workspaceId: deployment.workspace_id }),
      startContainer: async (launch, which, signal) => {
        const tool = await tools.find();
        await this.#removeLeftoversOnce(tool);
        const volumes = which === 'new' ? {} : volumesOf(deployment.id, launch.image.volumes);
        await removeContainersWith(tool, Object.values(volumes));
        const environment = tracedEnvironment(tool, launch.environment, tracing);
        return Container.start(
          {
            launch: { ...launch, environment },
            name: `agent-harbor-${uuidv7()}`,
            labels: { [FOLDER_LABEL]: this.#folder, [DEPLOYMENT_LABEL]: deployment.id },
            volumes,
            tool,
            runner,
            folder: path.join(dataDir, 'containers'),
            log,
            startTimeoutMs: this.#startTimeoutMs,
          },
          signal,
        );
      },
    });
  }

  /**
   * Removes containers that an earlier server of this data folder left behind. A failure is only logged: the
   * first container of this server tries again.
   */
  async tryRemoveLeftovers(): Promise<void> {
    const { tools, logger } = this.#options;
    try {
      await this.#removeLeftoversOnce(await tools.find());
    } catch (error) {
      logger.warn({ err: error }, 'could not remove the containers of an earlier server');
    }
  }

  /** Removes the leftovers once, before the first container of this server is started. */
  #removeLeftoversOnce(tool: ContainerTool): Promise<void> {
    const cleaning = this.#cleaned ?? this.#removeLeftovers(tool);
    this.#cleaned = cleaning;
    // The callers that wait get the error, and the next call tries again.
    cleaning.catch(() => {
      if (this.#cleaned === cleaning) this.#cleaned = undefined;
    });
    return cleaning;
  }

  async #removeLeftovers(tool: ContainerTool): Promise<void> {
    await rm(path.join(this.#options.dataDir, 'containers'), { recursive: true, force: true });
    await removeContainers(tool, [`label=${FOLDER_LABEL}=${this.#folder}`]);
  }

  /** Removes the volumes of a deleted deployment. */
  async removeVolumes(deploymentId: string): Promise<void> {
    const { tools, logger } = this.#options;
    try {
      const tool = await tools.find();
      const listed = await tool.ask([
        'volume',
        'ls',
        '--quiet',
        '--filter',
        `name=${volumePrefix(deploymentId)}`,
      ]);
      const names = listed.split('\n').filter((name) => name !== '');
      if (names.length > 0) await tool.ask(['volume', 'rm', '--force', ...names]);
    } catch (error) {
      logger.warn(
        { err: error, deployment_id: deploymentId },
        'could not remove the volumes of a deployment',
      );
    }
  }
}

/**
 * Removes containers that still use the volumes of the next container, because two servers must not share files. Such a
 * container is left if the container tool failed to remove it, or ended before it.
 */
async function removeContainersWith(tool: ContainerTool, volumes: readonly string[]): Promise<void> {
  if (volumes.length === 0) return;
  await removeContainers(
    tool,
    volumes.map((volume) => `volume=${volume}`),
  );
}

/**
 * Adds the variables for tracing, unless one is set or the container has a network of its own: from there, it
 * cannot reach this server, which listens on 127.0.0.1.
 */
function tracedEnvironment(
  tool: ContainerTool,
  environment: Readonly<Record<string, string>>,
  tracing: TracingTarget,
): Readonly<Record<string, string>> {
  const hasOwn = Object.keys(environment).some(isTracingVariable);
  return hasOwn || !tool.usesHostNetwork ? environment : { ...environment, ...tracingVariables(tracing) };
}

function volumePrefix(deploymentId: string): string {
  return `agent-harbor-${deploymentId}-`;
}

/** The names of a deployment's volumes, by folder. A folder keeps its volume when the image changes. */
function volumesOf(deploymentId: string, folders: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    folders.map((folder) => [
      folder,
      `${volumePrefix(deploymentId)}${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`,
    ]),
  );
}

/** @throws ArgumentError */
function readStartSeconds(environment: NodeJS.ProcessEnv): number {
  try {
    return readSeconds(START_VARIABLE, environment) ?? DEFAULT_START_SECONDS;
  } catch (error) {
    throw new ArgumentError(messageOf(error));
  }
}
