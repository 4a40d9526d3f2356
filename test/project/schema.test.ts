import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { z } from 'zod';
import { checkSchema } from '../../src/project/checks/check-schema.ts';
import { makeJsonService, readConfigDocument } from '../../src/project/config-document.ts';
import schema from '../../src/project/langgraph.schema.json' with { type: 'json' };
import { readProject } from '../../src/server/runtimes/project/project.ts';
import { ProjectConfig } from '../../src/server/runtimes/project/project-config.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Schema = { [key: string]: unknown };
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** The paths of all keys that a schema knows. */
function keysOf(node: unknown, prefix = ''): string[] {
  if (!isSchema(node)) return [];
  const own = isSchema(node.properties) ? node.properties : {};
  const alternatives = [node.anyOf, node.oneOf, node.allOf].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return [
    ...Object.entries(own).flatMap(([key, value]) => [
      `${prefix}${key}`,
      ...keysOf(value, `${prefix}${key}.`),
    ]),
    ...alternatives.flatMap((alternative) => keysOf(alternative, prefix)),
    ...(isSchema(node.additionalProperties) ? keysOf(node.additionalProperties, `${prefix}*.`) : []),
  ];
}

describe('the schema of langgraph.json', () => {
  const known = new Set(keysOf(schema));

  it('has every key of the reference', () => {
    const reference =
      'dependencies graphs env python_version node_version api_version base_image image_distro pip_config_file ' +
      'pip_installer source.kind source.root source.package keep_pkg_tools dockerfile_lines store.index.dims ' +
      'store.index.embed store.index.fields store.ttl.refresh_on_read store.ttl.default_ttl ' +
      'store.ttl.sweep_interval_minutes checkpointer.backend checkpointer.path checkpointer.ttl.strategy ' +
      'checkpointer.ttl.default_ttl checkpointer.ttl.sweep_interval_minutes checkpointer.ttl.sweep_limit ' +
      'checkpointer.serde.allowed_json_modules checkpointer.serde.allowed_msgpack_modules ' +
      'checkpointer.serde.pickle_fallback auth.path auth.disable_studio_auth auth.openapi.securitySchemes ' +
      'auth.openapi.security auth.openapi.paths auth.cache.cache_keys auth.cache.ttl_seconds auth.cache.max_size ' +
      'encryption.path http.app http.disable_assistants http.disable_threads http.disable_runs http.disable_store ' +
      'http.disable_meta http.disable_ui http.disable_mcp http.disable_a2a http.disable_webhooks ' +
      'http.cors.allow_origins http.cors.allow_methods http.cors.allow_headers http.cors.allow_credentials ' +
      'http.cors.allow_origin_regex http.cors.expose_headers http.cors.max_age http.configurable_headers.includes ' +
      'http.configurable_headers.excludes http.logging_headers.includes http.logging_headers.excludes ' +
      'http.middleware_order http.enable_custom_route_auth http.mount_prefix webhooks.env_prefix webhooks.headers ' +
      'webhooks.url.require_https webhooks.url.allowed_domains webhooks.url.allowed_ports ' +
      'webhooks.url.max_url_length webhooks.url.disable_loopback ui ui_config.shared node_loader docker_compose_file';
    assert.deepEqual(
      reference.split(' ').filter((key) => !known.has(key)),
      [],
    );
  });

  it('describes every key', () => {
    const undescribed = (node: unknown, at: string): string[] => {
      if (!isSchema(node)) return [];
      const properties = isSchema(node.properties) ? Object.entries(node.properties) : [];
      return properties.flatMap(([key, value]) => {
        const place = `${at}${key}`;
        const described = isSchema(value) && ('description' in value || '$ref' in value);
        return [...(described ? [] : [place]), ...undescribed(value, `${place}.`)];
      });
    };
    assert.deepEqual(undescribed(schema, ''), []);
  });

  it('has every key that the server reads', () => {
    const read = keysOf(z.toJSONSchema(ProjectConfig, { io: 'input', unrepresentable: 'any' }));
    assert.ok(read.length > 40);
    assert.deepEqual(
      read.filter((key) => !known.has(key)),
      [],
    );
  });

  it('accepts nothing that the server refuses', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'langgraph.json');
    const service = makeJsonService();
    const value = fc.oneof(
      fc.constantFrom(
        null,
        true,
        -1,
        0,
        1.5,
        '',
        'x',
        '(',
        '/x',
        './a.ts:b',
        ['x'],
        [1],
        {},
        { x: 'y' },
        { x: 1 },
      ),
    );
    const keys = [...known].filter((key) => !key.includes('*') && key !== '$schema');
    const changes = fc.array(fc.tuple(fc.constantFrom(...keys), value), { minLength: 1, maxLength: 4 });
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const config = { graphs: { a: './a.ts:b' } };
        for (const [key, to] of changed) place(config, key.split('.'), structuredClone(to));
        const text = JSON.stringify(config);
        await writeFile(file, text);
        const refused = await readProject(file, {}).then(
          () => undefined,
          (error: Error) => error.message,
        );
        if (refused === undefined || refused.includes('env file')) return;
        refusals++;
        const problems = checkSchema(await readConfigDocument(service, file, text));
        assert.ok(
          problems.some(({ severity }) => severity === 'error'),
          `${text}\n${refused}`,
        );
      }),
      { numRuns: 400 },
    );
    assert.ok(refusals > 50, `${refusals} were refused`);
  });
});

/** Sets a value at a path of keys, creating objects on the way. */
function place(into: object, [key = '', ...rest]: readonly string[], value: unknown): void {
  const inner: unknown = Reflect.get(into, key);
  if (rest.length === 0) Reflect.set(into, key, value);
  else if (isSchema(inner) && !Array.isArray(inner)) place(inner, rest, value);
  else {
    const made = {};
    Reflect.set(into, key, made);
    place(made, rest, value);
  }
}
