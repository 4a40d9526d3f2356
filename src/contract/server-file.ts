import { z } from 'zod';

/**
 * `server.json` of a data folder: the address of its server, which writes this file for clients. Only the
 * file's owner can read it.
 */
export const ServerFile = z.looseObject({
  base_url: z.url(),
  api_key: z.string().min(1),
  pid: z.int(),
  version: z.string(),
  harbor_protocol: z.int(),
  started_at: z.string(),
});
export type ServerFile = z.output<typeof ServerFile>;
