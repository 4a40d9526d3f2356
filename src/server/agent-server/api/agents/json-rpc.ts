import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';

/** JSON-RPC 2.0 over HTTP, as used by MCP and A2A. */

export const RpcId = z.union([z.string(), z.number()]);
export type RpcId = z.output<typeof RpcId>;

export const RpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  /** Absent in notifications. */
  id: RpcId.nullish(),
  method: z.string(),
  params: JsonObject.nullish(),
});
export type RpcRequest = z.output<typeof RpcRequest>;

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/** A request that is answered with an error. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function rpcResult(id: RpcId | null, result: unknown) {
  return { jsonrpc: '2.0' as const, id, result };
}

export function rpcError(id: RpcId | null, code: number, message: string) {
  return { jsonrpc: '2.0' as const, id, error: { code, message } };
}

/** @throws RpcFailure with the field. */
export function rpcParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = schema.safeParse(params ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = ['params', ...(issue?.path ?? [])].map(String).join('.');
  throw new RpcFailure(INVALID_PARAMS, `${where}: ${issue?.message ?? 'not valid'}`);
}
