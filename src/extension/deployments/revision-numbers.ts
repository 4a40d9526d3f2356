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
    const known = newest.findIndex(({ id }) => this.#numbers.has(id));
    const first = newest[known];
    const latest =
      first === undefined
        ? await countRevisions(client, deploymentId)
        : known + (this.#numbers.get(first.id) ?? 0);
    return newest.map(({ id }, index) => {
      this.#numbers.set(id, latest - index);
      return latest - index;
    });
  }
}

async function countRevisions(client: Client, deployment_id: string): Promise<number> {
  const { eachPage } = await import('../../client/each-page.ts');
  const pages = eachPage({ idOf: ({ id }: Revision) => id }, async (query) => {
    const { resources } = await client.revisions.list({ params: { deployment_id }, query });
    return resources;
  });
  let count = 0;
  for await (const page of pages) count += page.length;
  return count;
}
