/**
 * How the public service answers where it differs from an Agent Harbor server, for a proxy in front of such a server in
 * tests. Everything here is from its published interface (docs/interface; the OpenAPI descriptions of the platform, the
 * control plane and Agent Server) or from what its own clients expect; nothing was recorded from it.
 */
import { z } from 'zod';

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  /** Undefined where it is not JSON. */
  readonly body: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The endpoints that only an Agent Harbor server has. */
const OURS =
  /^\/(?:harbor|purge)\/|^\/traces\/[^/]+\/tree$|^\/runs\/[^/]+\/attachments\/|^\/attachments\/|^\/ready$/;

/** Lists whose pages have at most 100 entries. */
const LISTS =
  /^\/(?:sessions|datasets|examples|feedback|runs\/query|datasets\/[^/]+\/versions|v2\/deployments(?:\/[^/]+\/revisions)?)$/;
const MAX_PAGE = 100;

/** Requests that are limited per key and minute. Here, the first one already exceeds the limit. */
const LIMITED = [
  /^GET \/sessions$/,
  /^POST \/runs\/query$/,
  /^POST \/runs\/delete$/,
  /^GET \/v2\/deployments$/,
];

const Body = z.looseObject({});
const Listed = z.looseObject({ limit: z.number().optional() });
const Resources = z.looseObject({ resources: z.array(Body) });

/** The fields in the control plane's description; ours has more. */
const DEPLOYMENT = [
  ...['name', 'source', 'source_config', 'source_revision_config', 'secrets', 'secret_references', 'id'],
  ...['tenant_id', 'created_at', 'updated_at', 'status', 'latest_revision_id', 'active_revision_id'],
  'image_version',
];
const REVISION = ['id', 'created_at', 'updated_at', 'status', 'source', 'source_revision_config'];

/** The times of traces and datasets, which are in UTC without an offset. */
const TIME =
  /("(?:\w+_(?:at|time|time_live)|as_of)" ?: ?"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|\+00:00)"/g;

/** An installation of the service, on which no limit has been reached. */
export class PublicService {
  readonly #limited = new Set<RegExp>();

  /** The service's own answer, if it does not accept a request. */
  refuse(asked: Asked): Answered | undefined {
    const path = pathOf(asked);
    if (OURS.test(path)) return { status: 404, body: { detail: 'Not Found' } };
    const limit = limitOf(asked);
    if (LISTS.test(path) && limit > MAX_PAGE) {
      const msg = `Input should be less than or equal to ${MAX_PAGE}`;
      return { status: 422, body: { detail: [{ loc: ['limit'], msg, type: 'less_than_equal' }] } };
    }
    const reached = LIMITED.find((limited) => limited.test(`${asked.method} ${path}`));
    if (reached === undefined || this.#limited.has(reached)) return undefined;
    this.#limited.add(reached);
    return { status: 429, headers: { 'retry-after': '1' }, body: { error: 'Rate limit exceeded' } };
  }

  /** The body as the service reads it. The service does not support dry runs, so it would delete the traces. */
  accept(asked: Asked): unknown {
    if (pathOf(asked) !== '/runs/delete') return asked.body;
    const { dry_run: _, before: __, ...known } = Body.parse(asked.body);
    return known;
  }

  /** @param text the JSON that an Agent Harbor server has answered with */
  answer(asked: Asked, status: number, text: string): string {
    const path = pathOf(asked);
    if (status >= 300 || text === '') return text;
    if (path === '/info') return asAnotherPlatform(text);
    if (path === '/runs/delete') return JSON.stringify({ message: 'Run deletes queued' });
    if (path.startsWith('/v2/deployments')) return JSON.stringify(withKnownFields(path, JSON.parse(text)));
    return text.replaceAll(TIME, '$1"');
  }
}

/** The description of a platform (`GET /info`) as given by one that is not an Agent Harbor server. */
function asAnotherPlatform(info: string): string {
  const { harbor_version: _, ...others } = Body.parse(JSON.parse(info));
  return JSON.stringify(others);
}

/** The path without the prefix of its area. */
function pathOf({ url }: Asked): string {
  return new URL(url, 'http://service').pathname.replace(/^\/api-host|^\/api(?:\/v1)?(?=\/)/, '');
}

function limitOf({ url, body }: Asked): number {
  const limit = new URL(url, 'http://service').searchParams.get('limit');
  return limit === null ? (Listed.safeParse(body).data?.limit ?? 0) : Number(limit);
}

function withKnownFields(path: string, answer: unknown): unknown {
  const fields = /\/revisions(?:\/[^/]+)?$/.test(path) ? REVISION : DEPLOYMENT;
  const listed = Resources.safeParse(answer);
  if (listed.success)
    return { ...listed.data, resources: listed.data.resources.map((one) => pick(one, fields)) };
  const one = Body.safeParse(answer);
  return one.success && 'id' in one.data ? pick(one.data, fields) : answer;
}

function pick(object: Readonly<Record<string, unknown>>, fields: readonly string[]) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.includes(name)));
}
