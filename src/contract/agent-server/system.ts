import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject } from '../fields.ts';

/** An agent server's description of itself. */
export const system = {
  ok: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/ok',
    summary: 'Health check',
    credentials: 'none',
    query: z.object({ check_db: z.enum(['0', '1']).default('0') }),
    responses: { 200: z.looseObject({ ok: z.boolean() }) },
  }),
  ready: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/ready',
    summary:
      'Check whether to send requests here: 503 while graphs load, storage is unreachable, or the server is about to end',
    credentials: 'none',
    responses: { 200: z.looseObject({ ready: z.boolean() }) },
  }),
  info: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/info',
    summary: 'Get versions and capabilities',
    credentials: 'none',
    responses: { 200: z.looseObject({ version: z.string(), flags: JsonObject, metadata: JsonObject }) },
  }),
  metrics: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/metrics',
    hasOneSpelling: true,
    summary: 'Get metrics for Prometheus or as JSON',
    credentials: 'none',
    query: z.object({ format: z.enum(['prometheus', 'json']).default('prometheus') }),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    otherContentTypes: ['application/json'],
  }),
  openapi: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this API as OpenAPI 3.1',
    credentials: 'none',
    contentType: 'application/json',
  }),
  docs: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/docs',
    summary: 'Get this API as a page',
    credentials: 'none',
    contentType: 'text/html',
  }),
};
