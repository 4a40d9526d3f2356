import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import { HttpError } from '../../../http/errors.ts';

// JSON-RPC 2.0 over HTTP, as MCP and A2A use it.

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

// The error codes of JSON-RPC.
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** An error with which a request is answered. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;
  readonly data: object | undefined;
  /** The HTTP status, if the protocol specifies one. */
  readonly status: number | undefined;
  constructor(code: number, message: string, more: { data?: object; status?: number } = {}) {
    super(message);
    this.code = code;
    this.data = more.data;
    this.status = more.status;
  }
}

/** The answer to a request that succeeded. */
export function rpcResult(id: RpcId | null, result: unknown) {
  return { jsonrpc: '2.0' as const, id, result };
}

/** The answer to a request that failed. Its ID is null if the request has none, or could not be read. */
export function rpcError(id: RpcId | null, code: number, message: string, data?: object) {
  return { jsonrpc: '2.0' as const, id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** The answer to a failed request. @throws any error that the client did not cause. */
export function rpcFailure(id: RpcId | null, error: unknown) {
  if (error instanceof RpcFailure) return rpcError(id, error.code, error.message, error.data);
  if (error instanceof HttpError) return rpcError(id, INTERNAL_ERROR, error.message);
  throw error;
}

/**
 * Answers a message with `answer`, or with the error that it throws.
 * @param notice receives notifications, which are otherwise ignored.
 * @returns undefined for a notification.
 */
export async function answerMessage(
  message: unknown,
  answer: (request: RpcRequest) => Promise<unknown>,
  notice?: (notification: RpcRequest) => Promise<void>,
) {
  const request = RpcRequest.safeParse(message);
  // Responses are refused too, because the server sends no requests.
  if (!request.success) return rpcError(null, INVALID_REQUEST, 'Not a JSON-RPC 2.0 request.');
  const id = request.data.id ?? null;
  if (id === null && request.data.method.startsWith('notifications/')) {
    // A notification has no answer that could contain the error.
    await notice?.(request.data).catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
    });
    return undefined;
  }
  try {
    return rpcResult(id, await answer(request.data));
  } catch (error) {
    return rpcFailure(id, error);
  }
}

/** Parses the parameters of a request. @throws RpcFailure that names the invalid field. */
export function rpcParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = schema.safeParse(params ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = ['params', ...(issue?.path ?? [])].map(String).join('.');
  throw new RpcFailure(INVALID_PARAMS, `${where}: ${issue?.message ?? 'not valid'}`);
}
