import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import type { RememberedTool } from '../../../containers/remembered-tool.ts';
import { removeContainers } from '../../../containers/remove-containers.ts';
import { ensureEmptyImage } from './empty-image.ts';

const FOLDER_LABEL = 'dev.agent-harbor.runtimes-of';
/**
 * The user IDs of sandboxes: 20,000 to 59,999. Systems assign lower and higher ones, and the containers of an ordinary
 * user can use at most 65,536.
 */
const FIRST_USER = 20_000;
const USERS = 40_000;

/** The container tool, image, labels and temporary folder for all sandboxes of a server. */
export class SandboxHost {
  readonly #tools: RememberedTool;
  readonly #label: string;
  #ready: Promise<void> | undefined;
  /** The folder for files that are only needed while a sandbox starts or runs. */
  readonly folder: string;

  constructor(dataDir: string, tools: RememberedTool) {
    this.#tools = tools;
    this.folder = path.join(dataDir, 'sandboxes');
    this.#label = createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 16);
  }

  /** The labels of containers that belong to this server. */
  get labels(): Readonly<Record<string, string>> {
    return { [FOLDER_LABEL]: this.#label };
  }

  /**
   * Finds the machine's container tool. Before the first sandbox, removes leftovers of an earlier server.
   * @throws NoContainerToolError or ContainerToolError
   */
  async prepare(): Promise<ContainerTool> {
    const tool = await this.#tools.find();
    const preparing = this.#ready ?? this.#removeLeftovers(tool);
    this.#ready = preparing;
    // If preparing fails, the callers that wait for it get the error, and the next call tries again.
    preparing.catch(() => {
      if (this.#ready === preparing) this.#ready = undefined;
    });
    await preparing;
    return tool;
  }

  /** Finds or creates the image that sandboxes are started from. @returns its ID. */
  ensureImage(tool: ContainerTool): Promise<string> {
    return ensureEmptyImage(tool, this.folder);
  }

  async #removeLeftovers(tool: ContainerTool): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await removeContainers(tool, [`label=${FOLDER_LABEL}=${this.#label}`]);
  }
}

/** The user ID of a deployment's sandboxes, derived from its ID, so that deployments rarely share a user. */
export function userOf(deploymentId: string): number {
  const hash = createHash('sha256').update(deploymentId).digest();
  return FIRST_USER + (hash.readUInt32BE(0) % USERS);
}
