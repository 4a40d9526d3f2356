import type { Router } from '../http/router.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { type ControlPlaneParts, makeParts } from './make-parts.ts';
import { mountControlPlane } from './routes.ts';
import { SecretBox } from './secrets/secret-box.ts';

/** The control plane of a data folder: deployments and everything that belongs to them. */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #parts: ControlPlaneParts;

  private constructor(options: ControlPlaneOptions, parts: ControlPlaneParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** @throws SecretBoxError when the data folder's key is damaged. */
  static async open(options: ControlPlaneOptions): Promise<ControlPlane> {
    return new ControlPlane(options, makeParts(options, await SecretBox.open(options.host.dataDir)));
  }

  mount(router: Router): void {
    const { identity, host } = this.#options;
    mountControlPlane(router, { identity, baseUrl: host.baseUrl }, this.#parts);
  }

  /** Serves deployments again and continues unfinished revisions. */
  async start(): Promise<void> {
    const { deployments, servers, pipeline, watcher } = this.#parts;
    await deployments.recover();
    await servers.resume();
    await pipeline.recover();
    await watcher.start();
  }

  /** Whether something is built or rolled out. */
  get busy(): boolean {
    return this.#parts.pipeline.busy;
  }

  /** Ends builds and rollouts. Agents that are being served are not affected. */
  async close(): Promise<void> {
    await this.#parts.watcher.close();
    await this.#parts.pipeline.close();
  }

  /** Stores what has been logged so far, by agents that are served too. */
  async flushLogs(): Promise<void> {
    await this.#parts.stores.logs.flush();
  }
}
