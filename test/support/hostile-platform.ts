import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Endpoint, JsonEndpoint } from '../../src/contract/endpoint.ts';
import { harbor } from '../../src/contract/harbor.ts';
import { agentServerTables, tracingTables } from '../../src/contract/tables.ts';
import { controlPlaneEndpoints } from './control-plane/endpoints.ts';
import { httpPeer, json } from './http-peer.ts';

/** An ID that commands accept, and that the hostile platform returns where an ID is needed. */
export const HOSTILE_ID = '018f3a5e-0000-7000-8000-000000000001';

/**
 * Sets the window title, writes the clipboard, clears the screen, colors, rings, goes back, in 7 and 8 bits; and
 * reverses text.
 */
export const HOSTILE_TEXT =
  'x\u001b]0;PWNED\u0007\u001b]52;c;UFdORUQ=\u0007\u001b[2J\u001b[31mred\u009b2J\u009d0;PWNED\u009c\u0007\b\r\u0000\u007f\u202egpj.exe\u2066y';

const TIME = '2026-11-21T09:00:00.000Z';

const endpoints: readonly Endpoint[] = [
  ...Object.values(agentServerTables).flatMap((table): Endpoint[] => Object.values(table)),
  ...Object.values(tracingTables).flatMap((table): Endpoint[] => Object.values(table)),
  ...controlPlaneEndpoints,
  ...Object.values(harbor),
];

/** The part of JSON Schema that zod writes. */
const Shape = z.object({
  type: z.union([z.string(), z.array(z.string()).transform(([first]) => first)]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  $ref: z.string().optional(),
  get anyOf() {
    return z.array(Shape).optional();
  },
  get oneOf() {
    return z.array(Shape).optional();
  },
  get allOf() {
    return z.array(Shape).optional();
  },
  get properties() {
    return z.record(z.string(), Shape).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), Shape]).optional();
  },
  get items() {
    return Shape.optional();
  },
  get prefixItems() {
    return z.array(Shape).optional();
  },
});
type Shape = z.output<typeof Shape>;

/** Values by field name, where the schema is not enough: lists would never end, and a graph would have no edges. */
const FIXED = new Map<string, unknown>([
  ['cursors', {}],
  ['edges', [{ source: HOSTILE_TEXT, target: HOSTILE_TEXT, data: HOSTILE_TEXT, conditional: true }]],
]);

function fieldValue(name: string, shape: Shape, depth: number): unknown {
  // Where the next page of a list begins; where it is a list itself, it has nodes.
  if (name === 'next' && shape.type !== 'array') return null;
  return FIXED.get(name) ?? hostileValue(shape, depth);
}

/** A value for a schema, with every optional part, and with hostile text wherever text is allowed. */
function hostileValue(shape: Partial<Shape>, depth = 0): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0];
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices !== undefined) {
    return hostileValue(choices.find(({ type }) => type === 'string') ?? choices[0] ?? {}, depth);
  }
  if (shape.allOf !== undefined) {
    return Object.assign({}, ...shape.allOf.map((part) => hostileValue(part, depth)));
  }
  if (shape.$ref !== undefined || depth > 8) return null;
  switch (shape.type) {
    case 'string':
      if (shape.format === 'uuid') return HOSTILE_ID;
      if (shape.format === 'date-time' || shape.pattern?.includes('T') === true) return TIME;
      return shape.format === 'uri' ? 'http://127.0.0.1:1/' : HOSTILE_TEXT;
    case 'number':
    case 'integer':
      return Math.max(1, shape.minimum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return (shape.prefixItems ?? [shape.items ?? {}])
        .filter(({ $ref }) => $ref === undefined)
        .map((item) => hostileValue(item, depth + 1));
    case 'object':
      return Object.fromEntries([
        ...Object.entries(shape.properties ?? {}).map(([name, value]) => [
          name,
          fieldValue(name, value, depth + 1),
        ]),
        ...(typeof shape.additionalProperties === 'object'
          ? [[HOSTILE_TEXT, hostileValue(shape.additionalProperties, depth + 1)]]
          : []),
      ]);
    default:
      return { [HOSTILE_TEXT]: HOSTILE_TEXT };
  }
}

function patternOf({ path }: Endpoint): RegExp {
  return new RegExp(
    `(?:^|/api(?:/v1)?|/api-host)${path.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`,
  );
}

const patterns = endpoints.map((endpoint) => ({ endpoint, pattern: patternOf(endpoint) }));

function answer({ method, url }: { method: string; url: string }, response: ServerResponse): void {
  const [path = ''] = url.split('?');
  const found = patterns
    .filter(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))
    // The endpoint with the fewest parameters matches best.
    .toSorted((a, b) => a.endpoint.path.split('{').length - b.endpoint.path.split('{').length)[0]?.endpoint;
  switch (found?.kind) {
    case 'event-stream':
      sendEvents(response);
      break;
    case 'raw':
      response.end(`"${HOSTILE_TEXT}"\n`);
      break;
    case 'json':
      sendAnswer(found, response);
      break;
    default:
      json(response, 404, { detail: HOSTILE_TEXT });
  }
}

function sendAnswer({ responses }: JsonEndpoint, response: ServerResponse): void {
  const [status = '200', schema = null] =
    Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  if (schema === null) response.writeHead(Number(status)).end();
  else json(response, Number(status), hostileValue(shapeOf(schema)));
}

function shapeOf(schema: z.ZodType): Shape {
  return Shape.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }));
}

function sendEvents(response: ServerResponse): void {
  const message = {
    id: HOSTILE_TEXT,
    type: 'ai',
    content: HOSTILE_TEXT,
    tool_calls: [{ id: HOSTILE_TEXT, name: HOSTILE_TEXT, args: { [HOSTILE_TEXT]: HOSTILE_TEXT } }],
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events: readonly (readonly [string, unknown])[] = [
    ['metadata', { run_id: HOSTILE_TEXT, thread_id: HOSTILE_TEXT, attempt: 1 }],
    ['messages', [message, { langgraph_node: HOSTILE_TEXT }]],
    ['updates', { [HOSTILE_TEXT]: { [HOSTILE_TEXT]: HOSTILE_TEXT } }],
    ['custom', HOSTILE_TEXT],
    ['values', { messages: [message], [HOSTILE_TEXT]: HOSTILE_TEXT }],
    ['error', { error: HOSTILE_TEXT, message: HOSTILE_TEXT }],
  ];
  for (const [event, data] of events) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  response.end();
}

/**
 * A platform and agent server that answers according to the contract, with hostile text in every field that
 * can contain text.
 */
export interface HostilePlatform extends AsyncDisposable {
  readonly url: string;
  /** Whether every request fails with hostile text from now on. */
  failing: boolean;
}

export async function hostilePlatform(): Promise<HostilePlatform> {
  const state = { failing: false };
  const peer = await httpPeer((request, response) => {
    if (state.failing) json(response, 422, { detail: HOSTILE_TEXT });
    else answer(request, response);
  });
  return Object.assign(state, {
    url: peer.url,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  });
}
