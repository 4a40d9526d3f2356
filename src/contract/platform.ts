import { z } from 'zod';
import { system } from './agent-server/system.ts';
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
  openapi: system.openapi,
  docs: system.docs,
};
