import { z } from 'zod';
import { type Endpoint, pathParameters } from '../../contract/endpoint.ts';
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts';

/** The version of the interface that is described (docs/interface/README.md#where-a-rule-comes-from). */
const INTERFACE_VERSION = '0.1.0';

type Json = Record<string, unknown>;

/** The endpoints as an OpenAPI 3.1 document. */
export function openApiDocument(
  title: string,
  endpoints: readonly Endpoint[],
): Json & { paths: Json; components: Json } {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: { title, version: INTERFACE_VERSION },
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        tenantId: { type: 'apiKey', in: 'header', name: 'x-tenant-id' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function operation(endpoint: Endpoint): Json {
  return {
    summary: endpoint.summary,
    parameters: [
      ...parameters(endpoint.params, 'path', endpoint),
      ...parameters(endpoint.query, 'query', endpoint),
    ],
    ...requestBody(endpoint),
    responses: {
      ...responses(endpoint),
      422: jsonContent('Invalid request', ValidationErrorBody),
      default: jsonContent('Error', ErrorBody),
    },
    ...rightOf(endpoint),
    security: endpoint.credentials.startsWith('api-key')
      ? [{ apiKey: [] }, { apiKey: [], tenantId: [] }, { bearer: [] }]
      : [],
  };
}

/**
 * The right that a key must have, in words and in machine-readable form, because OpenAPI only has scopes for
 * OAuth.
 */
function rightOf(endpoint: Endpoint): Json {
  if (!('right' in endpoint)) return {};
  const { right } = endpoint;
  const where = endpoint.credentials === 'deployment' ? ', where a key is required' : '';
  const description =
    right === 'any'
      ? 'Any key may call it.'
      : right === 'owner'
        ? "Requires the owner's key."
        : `Requires a key with the right \`${right}\`${where}.`;
  return { description, 'x-right': right };
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query', endpoint: Endpoint): Json[] {
  const described = schema === undefined ? {} : properties(schema);
  const names = place === 'path' ? pathParameters(endpoint.path) : Object.keys(described);
  return names.map((name) => ({
    name,
    in: place,
    required: place === 'path' || schema?.shape[name]?.safeParse(undefined).success === false,
    schema: described[name] ?? { type: 'string' },
  }));
}

function properties(schema: z.ZodObject): Record<string, unknown> {
  const { properties: found } = toJsonSchema(schema, 'input');
  return typeof found === 'object' && found !== null ? Object.fromEntries(Object.entries(found)) : {};
}

function requestBody(endpoint: Endpoint): Json {
  if (endpoint.kind === 'multipart') {
    return {
      requestBody: {
        content: { 'multipart/form-data': { schema: { type: 'object', description: endpoint.parts } } },
      },
    };
  }
  if (!('body' in endpoint) || endpoint.body === undefined) return {};
  return {
    requestBody: { content: { 'application/json': { schema: toJsonSchema(endpoint.body, 'input') } } },
  };
}

function responses(endpoint: Endpoint): Json {
  switch (endpoint.kind) {
    case 'json':
    case 'multipart':
      return Object.fromEntries(
        Object.entries(endpoint.responses).map(([status, schema]) => [
          status,
          schema === null ? { description: 'Done' } : jsonContent('Success', schema),
        ]),
      );
    case 'event-stream':
      return {
        200: {
          description: 'Server-sent events',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
      };
    case 'raw': {
      const types = [endpoint.contentType, ...(endpoint.otherContentTypes ?? [])];
      return {
        200: { description: 'Success', content: Object.fromEntries(types.map((type) => [type, {}])) },
      };
    }
    case 'websocket':
      return { 101: { description: 'Switching to a WebSocket' } };
  }
}

function jsonContent(description: string, schema: z.ZodType): Json {
  return { description, content: { 'application/json': { schema: toJsonSchema(schema, 'output') } } };
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  return rest;
}
