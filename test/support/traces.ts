import { randomUUID } from 'node:crypto';
import { formatSegment } from '../../src/server/tracing/runs/dotted-order.ts';
import type { Platform } from './platform.ts';

/** A part of a multipart body; JSON unless `contentType` says otherwise. */
export interface TestPart {
  readonly name: string;
  readonly content: unknown;
  readonly contentType?: string;
  /** How the part states its length. */
  readonly length?: 'header' | 'parameter' | 'none' | number;
}

export const BOUNDARY = '----TestBoundary';

export function multipartBody(parts: readonly TestPart[]): Buffer {
  const pieces: Buffer[] = [];
  for (const part of parts) {
    const content =
      part.content instanceof Uint8Array ? part.content : Buffer.from(JSON.stringify(part.content));
    const length = part.length ?? 'parameter';
    const declared = typeof length === 'number' ? length : content.length;
    const type = part.contentType ?? 'application/json';
    const head = [
      `--${BOUNDARY}`,
      `Content-Disposition: form-data; name="${part.name}"`,
      `Content-Type: ${type}${length === 'header' || length === 'none' ? '' : `; length=${declared}`}`,
      ...(length === 'header' ? [`Content-Length: ${declared}`] : []),
      '',
      '',
    ];
    pieces.push(Buffer.from(head.join('\r\n')), Buffer.from(content), Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

export function sendParts(
  platform: Platform,
  parts: readonly TestPart[],
  route = '/runs/multipart',
): Promise<Response> {
  return sendBody(platform, multipartBody(parts), {}, route);
}

export function sendBody(
  platform: Platform,
  body: Uint8Array,
  headers: Record<string, string> = {},
  route = '/runs/multipart',
): Promise<Response> {
  return platform.fetch(route, {
    method: 'POST',
    body,
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  });
}

export interface TestRun {
  readonly id: string;
  readonly trace_id: string;
  readonly dotted_order: string;
  readonly parent_run_id?: string;
  readonly name: string;
  readonly run_type: string;
  readonly start_time: string;
  readonly [field: string]: unknown;
}

/** A run that can be posted, below `parent` if given. */
export function newRun(options: { parent?: TestRun; at?: number; [field: string]: unknown } = {}): TestRun {
  const { parent, at = Date.now() - 1000, ...fields } = options;
  const id = randomUUID();
  const own = formatSegment(at * 1000, id);
  return {
    id,
    trace_id: parent?.trace_id ?? id,
    dotted_order: parent === undefined ? own : `${parent.dotted_order}.${own}`,
    ...(parent === undefined ? {} : { parent_run_id: parent.id }),
    name: 'run',
    run_type: 'chain',
    start_time: new Date(at).toISOString(),
    session_name: 'test',
    ...fields,
  };
}

/** The parts of a post: the run's fields, and separately its payloads. */
export function postParts(run: TestRun, payloads: Readonly<Record<string, unknown>> = {}): TestPart[] {
  return [
    { name: `post.${run.id}`, content: run },
    ...Object.entries(payloads).map(([kind, content]) => ({ name: `post.${run.id}.${kind}`, content })),
  ];
}

export async function readRun(platform: Platform, id: string): Promise<Record<string, unknown>> {
  const response = await platform.fetch(`/runs/${id}`);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** The names of the runs a query finds, in order. */
export async function runNames(platform: Platform, query: Record<string, unknown>): Promise<string[]> {
  const response = await platform.fetch('/runs/query', { method: 'POST', body: query });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { runs } = (await response.json()) as { runs: { name: string }[] };
  return runs.map((run) => run.name);
}

export async function sessionId(platform: Platform, name: string): Promise<string> {
  const response = await platform.fetch(`/sessions?name=${encodeURIComponent(name)}`);
  const [session] = (await response.json()) as { id: string }[];
  if (session === undefined) throw new Error(`No project ${name}.`);
  return session.id;
}
