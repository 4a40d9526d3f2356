import { type HttpPeer, httpPeer, json } from './http-peer.ts';

/** A platform with these revisions of a deployment, the latest first. */
export function revisionsPeer(
  revisions: readonly { readonly id: string; readonly status: string }[],
): Promise<HttpPeer> {
  const all = revisions.map((revision) => ({ ...revision, created_at: '2026-01-01T00:00:00Z' }));
  return httpPeer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://platform');
    const id = /\/revisions\/([^/]+)$/.exec(pathname)?.[1];
    if (id !== undefined)
      return json(
        response,
        200,
        all.find((revision) => revision.id === id),
      );
    const offset = Number(searchParams.get('offset') ?? 0);
    json(response, 200, {
      resources: all.slice(offset, offset + Number(searchParams.get('limit'))),
      offset,
    });
  });
}
