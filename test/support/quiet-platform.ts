import { asAnotherPlatform } from './another-platform.ts';
import { httpPeer, json } from './http-peer.ts';

/** A platform without what only ours has: no version of Agent Harbor, no purge jobs, no trees of traces, and purges answered as the public service does. */
export interface QuietPlatform extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the purges it was asked for. */
  readonly deletes: readonly unknown[];
}

/** Stands before a real platform and passes everything else on to it. */
export async function quietPlatform(baseUrl: string): Promise<QuietPlatform> {
  const deletes: unknown[] = [];
  const peer = await httpPeer(async ({ method, url, headers, body }, response) => {
    if (/\/(?:harbor|purge)\/|\/traces\/[^/]+\/tree$/.test(url))
      return json(response, 404, { detail: 'Not found.' });
    const answer = await fetch(`${baseUrl}${url}`, {
      method,
      headers: { 'x-api-key': String(headers['x-api-key']), 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    if (url.endsWith('/runs/delete')) {
      deletes.push(JSON.parse(body));
      json(response, answer.status, { message: 'Run deletes queued' });
      return;
    }
    const said = url.endsWith('/info') ? asAnotherPlatform(text) : text;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said);
  });
  return { url: peer.url, deletes, [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose]() };
}
