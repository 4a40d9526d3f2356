/**
 * Writes the protocol's types for both runtimes from protocol.schema.json, and the server's stream modes into that
 * schema. With --check, it only says whether the files are up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { z } from 'zod';
import { RunMode } from '../src/server/agent-server/data/run-kwargs.ts';
import { toPython } from './protocol-python.ts';

const Method = z.discriminatedUnion('kind', [
  z.object({
    to: z.enum(['runtime', 'server']),
    kind: z.literal('request'),
    params: z.string(),
    result: z.string(),
  }),
  z.object({ to: z.enum(['runtime', 'server']), kind: z.literal('notification'), params: z.string() }),
]);
const Schema = z.object({
  'x-version': z.int(),
  'x-methods': z.record(z.string(), Method),
  $defs: z.record(z.string(), z.unknown()),
});

const folder = new URL('../src/runtime/protocol/', import.meta.url);
const source = new URL('protocol.schema.json', folder);
const target = new URL('protocol.ts', folder);
const pythonTarget = new URL('../python/agent_harbor_runtime/protocol.py', folder);

const STREAM_MODES = /("StreamMode": \{\s*"enum": \[)[^\]]*(\])/;
const written = await readFile(source, 'utf8');
const modes = RunMode.options.map((mode) => `\n        "${mode}"`).join();
const sourceText = written.replace(STREAM_MODES, `$1${modes}\n      $2`);
const schema = Schema.parse(JSON.parse(sourceText));

/**
 * Prepares the document, which is written in 2020-12, for the compiler, which reads the tuples of draft-07. The
 * compiler takes a property's own description for that of the referenced type, unless the type is given by name.
 */
function toDraft07(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toDraft07);
  if (node === null || typeof node !== 'object') return node;
  const { prefixItems, items, ...rest } = z.record(z.string(), z.unknown()).parse(node);
  const { $ref, ...own } = rest;
  if (typeof $ref === 'string' && Object.keys(own).length > 0) {
    return { ...own, tsType: $ref.split('/').at(-1) };
  }
  const copy = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, toDraft07(value)]));
  if (prefixItems !== undefined) return { ...copy, items: toDraft07(prefixItems), additionalItems: false };
  return items === undefined ? copy : { ...copy, items: toDraft07(items) };
}

const document: JSONSchema = {
  title: 'ProtocolTypes',
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.keys(schema.$defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
  ),
  required: Object.keys(schema.$defs),
  $defs: z.record(z.string(), z.looseObject({})).parse(toDraft07(schema.$defs)),
};
const types = await compile(document, 'ProtocolTypes', {
  additionalProperties: false,
  bannerComment: '',
  style: { singleQuote: true, printWidth: 110 },
});

const methods = (to: 'runtime' | 'server', kind: 'request' | 'notification') =>
  Object.entries(schema['x-methods'])
    .filter(([, method]) => method.to === to && method.kind === kind)
    .map(([name, method]) =>
      method.kind === 'request'
        ? `  '${name}': { params: ${method.params}; result: ${method.result} };`
        : `  '${name}': ${method.params};`,
    )
    .join('\n');

const output = `// Generated from protocol.schema.json: change the schema, and run \`npm run generate\`.

export const PROTOCOL_VERSION = ${schema['x-version']};

/** Requests the server sends to a runtime. */
export interface RuntimeRequests {
${methods('runtime', 'request')}
}

/** Requests a runtime sends to the server. */
export interface ServerRequests {
${methods('server', 'request')}
}

/** Notifications a runtime sends to the server. */
export interface ServerNotifications {
${methods('server', 'notification')}
}

${types}`;

const outputs = [
  { file: source, text: sourceText },
  { file: target, text: output },
  { file: pythonTarget, text: toPython(schema['x-version'], schema.$defs) },
];

for (const { file, text } of outputs) {
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${file.pathname} is not up to date: run \`npm run generate\`.`);
    process.exitCode = 1;
  }
}
