import { HttpError } from '../http/errors.ts';
import type { Origin } from '../http/origin.ts';
import type { Router } from '../http/router.ts';
import { mountControlPlane } from './api/routes.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { type ControlPlaneParts, makeParts } from './make-parts.ts';
import type { SecretBox } from './secrets/secret-box.ts';

/** The control plane: deployments and everything that belongs to them. */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #parts: ControlPlaneParts;

  /** @param box encrypts the secrets of deployments. */
  constructor(options: ControlPlaneOptions, box: SecretBox) {
    this.#options = options;
    this.#parts = makeParts(options, box);
  }

  mount(router: Router): void {
    const { identity, host, team } = this.#options;
    const baseUrl = team === undefined ? host.baseUrl : () => team.url;
    mountControlPlane(router, { identity, baseUrl }, this.#parts);
  }

  /** Serves deployments again and continues unfinished revisions. */
  async start(): Promise<void> {
    const { deployments, servers, draining, pipeline, watcher, follower } = this.#parts;
    await deployments.recover();
    if (follower === undefined) await servers.resume();
    draining.start();
    await pipeline.recover();
    await watcher.start();
    follower?.start();
  }

  /**
   * Finds the address of a deployment on this server. In a team, waits until the deployment is served here.
   * @returns undefined for an unknown deployment.
   * @throws HttpError 503 when it cannot be served here, or the server is stopping.
   */
  async findServed(deploymentId: string): Promise<Origin | undefined> {
    const { agents } = this.#options.serving;
    const served = agents.originOf(deploymentId);
    if (served !== undefined) return served;
    const isHere = await this.#parts.follower?.bring(deploymentId);
    if (isHere !== true) return undefined;
    const brought = agents.originOf(deploymentId);
    if (brought !== undefined) return brought;
    throw new HttpError(503, 'The server is stopping.', { 'retry-after': '1' });
  }

  /** Whether something is being built or rolled out. */
  get busy(): boolean {
    return this.#parts.pipeline.busy;
  }

  /** Leaves revisions that no server works on yet to other servers. */
  leave(): void {
    this.#parts.pipeline.leave();
  }

  /** Ends builds and rollouts. Agents that are being served are not affected. */
  async close(): Promise<void> {
    await this.#parts.draining.close();
    await this.#parts.follower?.close();
    await this.#parts.watcher.close();
    await this.#parts.pipeline.close();
  }

  /** Stores everything logged so far, including by agents that are being served. */
  async flushLogs(): Promise<void> {
    await this.#parts.stores.logs.flush();
  }
}
