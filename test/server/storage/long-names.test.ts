import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';
import { newRun, postParts, sendParts } from '../../support/traces.ts';
import { tracesDatabaseOf } from '../../support/traces-database.ts';

/** A name that compression does not shorten, and that does not fit into a row of an index. */
const TOO_LONG = randomBytes(4_000).toString('base64url').slice(0, 5_000);
/** The longest that is accepted: 800 characters of three bytes each. */
const LONGEST = Array.from(randomBytes(800), (byte, at) => String.fromCharCode(0x4e00 + byte * 61 + at)).join(
  '',
);

for (const engine of ['SQLite', 'PostgreSQL'] as const)
  describe(`long names in ${engine}`, function () {
    this.timeout(240_000);
    let postgres: Postgres | undefined;
    let served: ServedProject;
    let platform: Platform;
    before(async function () {
      if (engine === 'PostgreSQL') postgres = await requirePostgres(this);
      served = await serveProject({ database: await postgres?.createDatabase() });
      platform = await startPlatform(
        postgres === undefined ? {} : { traces: await tracesDatabaseOf(postgres) },
      );
    });
    after(async () => {
      await platform?.close();
      await served?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
    });

    const agent = (method: string, route: string, body: unknown) =>
      fetch(`${served.url}${route}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const refuses = async (answer: Response, field: string) => {
      const said = await answer.text();
      assert.equal(answer.status, 422, said);
      const { detail } = JSON.parse(said) as { detail: { loc: string[]; msg: string }[] };
      assert.deepEqual(detail[0]?.loc, ['body', field]);
    };
    const takes = async (answer: Response) => {
      const said = await answer.text();
      assert.ok(answer.ok, `${answer.status} ${said}`);
      return (said === '' ? {} : JSON.parse(said)) as Record<string, string>;
    };

    it('are refused for assistants, with the field', async () => {
      await refuses(await agent('POST', '/assistants', { graph_id: 'common', name: TOO_LONG }), 'name');
      const made = await takes(await agent('POST', '/assistants', { graph_id: 'common', name: LONGEST }));
      assert.equal(made.name, LONGEST);
      await refuses(await agent('PATCH', `/assistants/${made.assistant_id}`, { name: TOO_LONG }), 'name');
    });

    it('are refused for items of the store, with the field', async () => {
      const namespace = [0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 3000].map((at) =>
        TOO_LONG.slice(at, at + 256),
      );
      await refuses(await agent('PUT', '/store/items', { namespace, key: 'k', value: {} }), 'key');
      const fits = { namespace: namespace.slice(0, 9), key: LONGEST.slice(0, 60), value: { of: 'ada' } };
      await takes(await agent('PUT', '/store/items', fits));
      const query = new URLSearchParams({ key: fits.key });
      for (const label of fits.namespace) query.append('namespace', label);
      const found = await takes(await fetch(`${served.url}/store/items?${query}`));
      assert.deepEqual(found.value, { of: 'ada' });
    });

    it('are kept and found in metadata of threads', async () => {
      const metadata = { [TOO_LONG]: 'x', other: TOO_LONG };
      const { thread_id } = await takes(await agent('POST', '/threads', { metadata }));
      for (const part of [{ [TOO_LONG]: 'x' }, { other: TOO_LONG }, metadata]) {
        const found = await agent('POST', '/threads/search', { metadata: part });
        assert.deepEqual(
          ((await found.json()) as { thread_id: string }[]).map((one) => one.thread_id),
          [thread_id],
        );
      }
      assert.deepEqual(
        await (await agent('POST', '/threads/search', { metadata: { [TOO_LONG]: 'y' } })).json(),
        [],
      );
    });

    it('are refused for projects, datasets and their tags, with the field', async () => {
      const send = (method: string, route: string, body: unknown) => platform.fetch(route, { method, body });
      await refuses(await send('POST', '/sessions', { name: TOO_LONG }), 'name');
      await refuses(await send('POST', '/datasets', { name: TOO_LONG }), 'name');
      const { id } = await takes(await send('POST', '/datasets', { name: LONGEST }));
      await takes(await send('POST', '/examples', { dataset_id: id, inputs: { a: 1 } }));
      await refuses(await send('PATCH', `/datasets/${id}`, { name: TOO_LONG }), 'name');
      const as_of = new Date().toISOString();
      await refuses(await send('PUT', `/datasets/${id}/tags`, { as_of, tag: TOO_LONG }), 'tag');
      await takes(await send('PUT', `/datasets/${id}/tags`, { as_of, tag: LONGEST }));
      const form = new FormData();
      form.set('file', new Blob(['a\n1\n'], { type: 'text/csv' }), 'a.csv');
      form.set('name', TOO_LONG);
      form.set('input_keys', 'a');
      await refuses(await platform.fetch('/datasets/upload', { method: 'POST', body: form }), 'name');
    });

    it('are refused for the project and attachments of a run, without affecting others in the request', async () => {
      const lost = newRun({ session_name: TOO_LONG });
      const run = newRun({ session_name: LONGEST, name: TOO_LONG, tags: [TOO_LONG] });
      const attachment = (name: string) => ({
        name: `attachment.${run.id}.${name}`,
        content: Buffer.from('x'),
        contentType: 'text/plain',
      });
      const parts = [
        ...postParts(lost),
        ...postParts(run),
        attachment(TOO_LONG),
        attachment(LONGEST.slice(0, 300)),
      ];
      const answer = await sendParts(platform, parts);
      const said = await answer.text();
      assert.equal(answer.status, 422, said);
      const { detail } = JSON.parse(said) as { detail: { loc: string[] }[] };
      assert.deepEqual(
        detail.map(({ loc }) => loc[1]?.slice(0, 20)).sort(),
        [`attachment.${run.id}`, `post.${lost.id}`].map((part) => part.slice(0, 20)).sort(),
      );
      const stored = await takes(await platform.fetch(`/runs/${run.id}`));
      assert.equal(stored.name, TOO_LONG);
      assert.equal((await platform.fetch(`/runs/${lost.id}`)).status, 404);
    });
  });
