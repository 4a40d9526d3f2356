import type { Client } from '../../client/client.ts';
import type { Revision } from '../../contract/control-plane/revisions.ts';

/**
 * Numbers the revisions of each deployment; the oldest is 1. Platforms do not number them, so all are counted
 * once, and afterwards only new ones.
 */
export class RevisionNumbers {
  readonly #numbers = new Map<string, number>();

  /**
   * @param newest the newest revisions of a deployment, the latest first
   * @returns their numbers, in the same order
   * @throws RequestError if they have to be counted and cannot be listed
   */
  async of(client: Client, deploymentId: string, newest: readonly Revision[]): Promise<number[]> {
    const isKnown = ({ id }: Revision) => this.#numbers.has(id);
    if (!newest.some(isKnown)) await this.#countAll(client, deploymentId);
    // Revisions that came after the count precede the first known one.
    const known = newest.findIndex(isKnown);
    const latest = known + (this.#numbers.get(newest[known]?.id ?? '') ?? 0);
    return newest.map(({ id }, index) => {
      this.#numbers.set(id, latest - index);
      return latest - index;
    });
  }

  /**
   * The number of any revision of a deployment; 0 if the platform does not list it.
   * @throws RequestError if they have to be counted and cannot be listed
   */
  async numberOf(client: Client, deploymentId: string, revisionId: string): Promise<number> {
    if (!this.#numbers.has(revisionId)) await this.#countAll(client, deploymentId);
    return this.#numbers.get(revisionId) ?? 0;
  }

  /** Numbers all revisions that the platform lists. */
  async #countAll(client: Client, deployment_id: string): Promise<void> {
    const { eachPage } = await import('../../client/each-page.ts');
    const pages = eachPage({ idOf: ({ id }: Revision) => id }, async (query) => {
      const { resources } = await client.revisions.list({ params: { deployment_id }, query });
      return resources;
    });
    const ids: string[] = [];
    for await (const page of pages) ids.push(...page.map(({ id }) => id));
    for (const [index, id] of ids.entries()) this.#numbers.set(id, ids.length - index);
  }
}
