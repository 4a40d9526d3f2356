import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import type { RememberedTool } from '../../../containers/remembered-tool.ts';
import type { AccessOptions } from '../../agent-server/agent-server-options.ts';
import type { Logger } from '../../logger.ts';
import type { LogBook } from '../../runtimes/log-book.ts';
import {
  isTracingVariable,
  type TracingTarget,
  tracingVariables,
} from '../../runtimes/runtime-environment.ts';
import type { CommandRunner } from '../builds/command-runner.ts';
import { Container } from './container.ts';
import { ImageServer } from './image-server.ts';

/** Which data folder a container belongs to, and which deployment. */
const FOLDER_LABEL = 'dev.agent-harbor.data-folder';
const DEPLOYMENT_LABEL = 'dev.agent-harbor.deployment';
const MAX_START_SECONDS = 120;

export interface ImageServingOptions {
  readonly dataDir: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly tools: RememberedTool;
  readonly runner: CommandRunner;
  readonly logger: Logger;
  readonly sleepAfterMs: number;
  accessTo(workspaceId: string): AccessOptions;
}

/** Serves deployments whose source is an image, and keeps containers and volumes of this data folder apart from others. */
export class ImageServing {
  readonly #options: ImageServingOptions;
  readonly #folder: string;

  constructor(options: ImageServingOptions) {
    this.#options = options;
    this.#folder = createHash('sha256').update(path.resolve(options.dataDir)).digest('hex').slice(0, 16);
  }

  /** @param tracing where its traces go, unless its secrets say otherwise. */
  serverOf(
    deployment: { id: string; workspace_id: string },
    { log, tracing }: { log: LogBook; tracing: TracingTarget },
  ): ImageServer {
    const { tools, runner, dataDir, logger, sleepAfterMs, accessTo } = this.#options;
    return new ImageServer({
      log,
      logger,
      sleepAfterMs,
      access: accessTo(deployment.workspace_id),
      startContainer: async (launch, volumes, signal) => {
        const tool = await tools.find();
        const environment = tracedEnvironment(tool, launch.environment, tracing);
        return Container.start(
          {
            launch: { ...launch, environment },
            name: `agent-harbor-${uuidv7()}`,
            labels: { [FOLDER_LABEL]: this.#folder, [DEPLOYMENT_LABEL]: deployment.id },
            volumes: volumes === 'new' ? {} : volumesOf(deployment.id, launch.image.volumes),
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

  /** Removes containers that an earlier server of this data folder left behind. */
  async removeLeftovers(): Promise<void> {
    const { tools, dataDir, logger } = this.#options;
    await rm(path.join(dataDir, 'containers'), { recursive: true, force: true });
    try {
      const tool = await tools.find();
      const listed = await tool.ask([
        'ps',
        '--all',
        '--quiet',
        '--filter',
        `label=${FOLDER_LABEL}=${this.#folder}`,
      ]);
      const ids = listed.split('\n').filter((id) => id !== '');
      if (ids.length > 0) await tool.ask(['rm', '--force', '--volumes', ...ids]);
    } catch (error) {
      logger.warn({ err: error }, 'could not remove the containers of an earlier server');
    }
  }

  /** Removes what a deleted deployment has stored. */
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

  get #startTimeoutMs(): number {
    const seconds = Number(this.#options.environment.AGENT_HARBOR_CONTAINER_START_SECONDS ?? '');
    return (seconds > 0 ? seconds : MAX_START_SECONDS) * 1_000;
  }
}

/** Only a container that has the machine's network can reach this server, which listens nowhere else. */
function tracedEnvironment(
  tool: ContainerTool,
  environment: Readonly<Record<string, string>>,
  tracing: TracingTarget,
): Readonly<Record<string, string>> {
  const isTold = Object.keys(environment).some(isTracingVariable);
  return isTold || !tool.usesHostNetwork ? environment : { ...environment, ...tracingVariables(tracing) };
}

function volumePrefix(deploymentId: string): string {
  return `agent-harbor-${deploymentId}-`;
}

/** A deployment keeps the content of the same folder in the same volume, whichever image has it. */
function volumesOf(deploymentId: string, folders: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    folders.map((folder) => [
      folder,
      `${volumePrefix(deploymentId)}${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`,
    ]),
  );
}
