import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject } from '../fields.ts';

/**
 * The platform's description of itself, from which clients learn how to send traces (docs/interface/tracing.md#info).
 */
export const info = {
  info: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/info',
    summary: 'Get the version, and how to send traces',
    credentials: 'none',
    responses: {
      200: z.looseObject({
        version: z.string(),
        /** The version of Agent Harbor; other platforms have none. */
        harbor_version: z.string().optional(),
        batch_ingest_config: z.looseObject({
          use_multipart_endpoint: z.boolean(),
          size_limit: z.int(),
          size_limit_bytes: z.int(),
        }),
        instance_flags: JsonObject,
      }),
    },
  }),
  health: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/info/health',
    summary: 'Free space of the trace storage',
    credentials: 'none',
    responses: { 200: z.looseObject({ clickhouse_disk_free_pct: z.number() }) },
  }),
  settings: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/settings',
    summary: 'Get the workspace of the key',
    credentials: 'api-key',
    right: 'any',
    responses: {
      200: z.looseObject({
        id: z.string(),
        display_name: z.string(),
        tenant_handle: z.string().nullable(),
        created_at: z.string(),
      }),
    },
  }),
};
