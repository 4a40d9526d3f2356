import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { sendParts } from '../../support/traces.ts';

interface Example {
  readonly id: string;
  readonly attachment_urls: Readonly<Record<string, { readonly presigned_url: string }>> | null;
}

describe('an example that is in another dataset than before', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  async function json<T>(route: string, init: { method?: string; body?: unknown } = {}): Promise<T> {
    const response = await platform.fetch(route, init);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  const newDataset = async () =>
    (await json<{ id: string }>('/datasets', { method: 'POST', body: { name: randomUUID() } })).id;
  const move = (id: string, dataset_id: string) =>
    json(`/examples/${id}`, { method: 'PATCH', body: { dataset_id } });
  const deleteDataset = (id: string) => json(`/datasets/${id}`, { method: 'DELETE' });

  async function upload(dataset: string, id: string, text: string): Promise<void> {
    const parts = [
      { name: id, content: {} },
      { name: `${id}.inputs`, content: {} },
      { name: `${id}.attachment.file`, contentType: 'text/plain', content: Buffer.from(text) },
    ];
    const response = await sendParts(platform, parts, `/v1/platform/datasets/${dataset}/examples`);
    assert.equal(response.status, 201, await response.text());
  }

  /** The attachment of an example as of a time, or the status of its link. */
  async function attachmentOf(id: string, asOf = 'latest'): Promise<string | number> {
    const { attachment_urls } = await json<Example>(`/examples/${id}?as_of=${encodeURIComponent(asOf)}`);
    const response = await fetch(attachment_urls?.['attachment.file']?.presigned_url ?? '');
    return response.ok ? response.text() : response.status;
  }

  it('keeps its attachments when the earlier dataset is deleted, or the later one', async () => {
    for (const deleted of ['earlier', 'later']) {
      const [earlier, later] = [await newDataset(), await newDataset()];
      const id = randomUUID();
      await upload(earlier, id, 'a file');
      const { modified_at } = await json<{ modified_at: string }>(`/examples/${id}`);
      await move(id, later);
      await deleteDataset(deleted === 'earlier' ? earlier : later);
      const asOf = deleted === 'earlier' ? 'latest' : modified_at;
      assert.equal(await attachmentOf(id, asOf), 'a file', deleted);
    }
  });

  it('keeps the attachments that it was given there after being deleted in between', async () => {
    const [earlier, later] = [await newDataset(), await newDataset()];
    const id = randomUUID();
    await upload(earlier, id, 'first');
    await json(`/examples/${id}`, { method: 'DELETE' });
    await upload(later, id, 'second');
    await deleteDataset(earlier);
    assert.equal(await attachmentOf(id), 'second');
  });

  it('is in the newest version of its new dataset, and no longer in that of the old one', async () => {
    const [earlier, later] = [await newDataset(), await newDataset()];
    const id = randomUUID();
    await upload(earlier, id, 'a file');
    await move(id, later);
    const newest = async (dataset: string) => {
      const [version] = await json<{ as_of: string }[]>(`/datasets/${dataset}/versions`);
      const asOf = encodeURIComponent(version?.as_of ?? '');
      return (await json<Example[]>(`/examples?dataset=${dataset}&as_of=${asOf}`)).map((each) => each.id);
    };
    assert.deepEqual([await newest(earlier), await newest(later)], [[], [id]]);
  });
});
