import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** What the platform's own address says of itself. */
export const platform = {
  ok: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/ok',
    summary: 'Health check',
    credentials: 'none',
    responses: { 200: z.looseObject({ ok: z.boolean() }) },
  }),
  openapi: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This interface as OpenAPI 3.1',
    credentials: 'none',
    contentType: 'application/json',
  }),
  docs: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/docs',
    summary: 'This interface as a page',
    credentials: 'none',
    contentType: 'text/html',
  }),
};
