import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import { INVALID_PARAMS, RpcFailure, type RpcRequest } from './json-rpc.ts';

/**
 * The first version in which every request names its version and client (MCP 2026-07-28, "Versioning and
 * Compatibility").
 */
export const MODERN_VERSION = '2026-07-28';
/** Versions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
export const SESSION_HEADER = 'mcp-session-id';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const HEADER_MISMATCH = -32_020;
const MISSING_CAPABILITY = -32_021;
const UNSUPPORTED_VERSION = -32_022;

/** The capabilities of a client: the kinds of questions that it can show, and whether it can follow tasks. */
export interface McpClient {
  readonly form: boolean;
  readonly url: boolean;
  readonly tasks: boolean;
}

const Capabilities = z.looseObject({
  elicitation: z.looseObject({ form: JsonObject.optional(), url: JsonObject.optional() }).optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});

/** The version that a request names in its `_meta`, if any. */
function claimedVersion({ params }: RpcRequest): string | undefined {
  const { data } = z.looseObject({ _meta: z.looseObject({ [VERSION_KEY]: z.string() }) }).safeParse(params);
  return data?._meta[VERSION_KEY];
}

/**
 * Whether a request belongs to the modern protocol: its body names a version, or its header names the modern
 * version and the method is not `initialize`.
 * @throws RpcFailure for a header with a version that is not supported.
 */
export function isModern(headers: IncomingHttpHeaders, request: RpcRequest): boolean {
  if (claimedVersion(request) !== undefined) return true;
  const named = headerOf(headers, 'mcp-protocol-version');
  if (named === undefined || LEGACY_VERSIONS.includes(named) || request.method === 'initialize') return false;
  if (named !== MODERN_VERSION) throw unsupported(named);
  return true;
}

/**
 * Checks the headers and the `_meta` of a modern request.
 * @returns the client's capabilities.
 * @throws RpcFailure with status 400.
 */
export function readClient(headers: IncomingHttpHeaders, request: RpcRequest): McpClient {
  const claimed = claimedVersion(request);
  if (claimed === undefined) throw malformed(`params._meta: \`${VERSION_KEY}\` is required`);
  requireHeader(headers, 'MCP-Protocol-Version', claimed);
  if (claimed !== MODERN_VERSION) throw unsupported(claimed);
  requireHeader(headers, 'Mcp-Method', request.method);
  const { _meta, name, taskId } = NamedParams.parse(request.params);
  const capabilities = Capabilities.safeParse(_meta[CAPABILITIES_KEY]);
  if (!capabilities.success) throw malformed(`params._meta: \`${CAPABILITIES_KEY}\` must be an object`);
  if (request.method === 'tools/call') requireHeader(headers, 'Mcp-Name', name ?? '');
  else if (request.method.startsWith('tasks/') && headers['mcp-name'] !== undefined) {
    requireHeader(headers, 'Mcp-Name', taskId ?? '');
  }
  const { elicitation, extensions = {} } = capabilities.data;
  return {
    // Clients from before elicitation had modes send an empty object, and support only forms.
    form: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    url: elicitation?.url !== undefined,
    tasks: extensions[TASKS_EXTENSION] !== undefined,
  };
}

const NamedParams = z.looseObject({
  _meta: z.looseObject({}),
  name: z.string().optional().catch(undefined),
  taskId: z.string().optional().catch(undefined),
});

/** The error for missing capabilities. @param required the capabilities as the client would declare them. */
export function missingCapability(required: object): RpcFailure {
  return new RpcFailure(
    MISSING_CAPABILITY,
    `This request needs a capability that the client did not declare: ${JSON.stringify(required)}.`,
    { status: 400, data: { requiredCapabilities: required } },
  );
}

/** @throws RpcFailure if a header is missing, or differs from the value in the body. */
function requireHeader(headers: IncomingHttpHeaders, name: string, wanted: string): void {
  const given = headerOf(headers, name.toLowerCase());
  if (given !== undefined && decoded(given) === wanted) return;
  const how = given === undefined ? 'is missing' : `'${given.slice(0, 64)}' does not match the body`;
  throw new RpcFailure(
    HEADER_MISMATCH,
    `Header mismatch: ${name} ${how}. It must be '${wanted.slice(0, 64)}'.`,
    { status: 400 },
  );
}

/** The session ID that a client of a legacy version got from `initialize`. */
export function sessionOf(headers: IncomingHttpHeaders): string | undefined {
  return headerOf(headers, SESSION_HEADER);
}

/** Decodes a header. A value that is not plain ASCII is sent as `=?base64?…?=` ("Value Encoding"). */
function decoded(value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

function unsupported(requested: string): RpcFailure {
  const supported = [MODERN_VERSION, ...LEGACY_VERSIONS];
  return new RpcFailure(UNSUPPORTED_VERSION, `Unsupported protocol version '${requested.slice(0, 32)}'.`, {
    status: 400,
    data: { supported, requested },
  });
}

function malformed(message: string): RpcFailure {
  return new RpcFailure(INVALID_PARAMS, `${message}.`, { status: 400 });
}
