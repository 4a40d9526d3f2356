import { httpPeer, json } from './http-peer.ts';
import { PublicService } from './public-service.ts';

/** A platform like the public service, without our own extensions. */
export interface QuietPlatform extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the requests for purges. */
  readonly deletes: readonly unknown[];
}

/** A proxy in front of a real platform that passes on only requests that the public service supports. */
export async function quietPlatform(baseUrl: string): Promise<QuietPlatform> {
  const deletes: unknown[] = [];
  const service = new PublicService();
  const peer = await httpPeer(async ({ method, url, headers, body }, response) => {
    const asked = { method, url, body: body === '' ? undefined : JSON.parse(body) };
    const refused = service.refuse(asked);
    if (refused !== undefined) return json(response, refused.status, refused.body, refused.headers);
    if (/\/runs\/delete$/.test(url)) deletes.push(asked.body);
    const answer = await fetch(`${baseUrl}${url}`, {
      method,
      headers: { 'x-api-key': String(headers['x-api-key']), 'content-type': 'application/json' },
      ...(body === '' ? {} : { body: JSON.stringify(service.accept(asked)) }),
    });
    const text = service.answer(asked, answer.status, await answer.text());
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return { url: peer.url, deletes, [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose]() };
}
