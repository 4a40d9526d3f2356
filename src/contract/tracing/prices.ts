import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';

/** The result of computing costs again. */
export const Applied = z.object({
  /** Calls whose cost has changed. */
  changed: z.int(),
  /** Models without a price, those with the most calls first. */
  without_price: z.array(z.object({ provider: z.string(), model: z.string(), runs: z.int() })),
});
export type Applied = z.output<typeof Applied>;

/** The price lists from which the costs of model calls are computed (docs/costs.md). */
export const prices = {
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/prices',
    summary: 'Get the price lists that costs are computed with, and their problems',
    credentials: 'api-key',
    right: 'read',
    responses: {
      200: z.object({
        source: z.string(),
        version: z.string(),
        /** When the bundled prices were published. */
        date: z.string(),
        /** Path of the file in which the platform looks for its own prices. */
        file: z.string(),
        /** Price files of projects, beside their `langgraph.json`, which take precedence over the platform's. */
        project_files: z.array(z.string()).optional(),
        /** Why a price file is not used, by path. */
        problems: z.record(z.string(), z.string()),
      }),
    },
  }),
  apply: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/prices/apply',
    summary: 'Recompute the costs of stored model calls; costs sent by clients are kept',
    credentials: 'api-key',
    right: 'write',
    body: z.object({
      /** Only calls of this tracing project. */
      session_id: Uuid.optional(),
    }),
    responses: { 200: Applied },
  }),
};
