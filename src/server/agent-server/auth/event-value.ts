import type { Endpoint, Permission } from '../../../contract/endpoint.ts';
import { JsonObject } from '../../../contract/fields.ts';
import type { AuthorizedCall } from '../../http/dispatch.ts';

/** The field of store searches that handlers know as the namespace (public SDK, `Auth`). */
const NAMESPACE_FIELDS: Readonly<Record<string, string>> = {
  'store:search': 'namespace_prefix',
  'store:list_namespaces': 'prefix',
};
/** Fields of a run request that handlers get beside `kwargs`. */
const BESIDE_KWARGS = new Set(['metadata', 'multitask_strategy', 'if_not_exists', 'after_seconds']);

/** The value passed to a project's auth handlers: the request's fields, and their names in the public SDK. */
export function eventValue(endpoint: Endpoint, permission: Permission, call: AuthorizedCall): JsonObject {
  const body = JsonObject.safeParse(call.body).data;
  const run = isCommand(endpoint) ? JsonObject.safeParse(body?.params).data : body;
  const given: JsonObject = {
    ...body,
    ...run,
    ...JsonObject.safeParse(call.query).data,
    ...JsonObject.safeParse(call.params).data,
  };
  const namespaceField = namespaceFieldOf(permission);
  if (namespaceField !== undefined) return { ...given, namespace: given[namespaceField] ?? [] };
  if (permission.action !== 'create_run') return given;
  // A2A and MCP calls have their own fields for what to run.
  const kwargs = Object.entries(run ?? {}).filter(
    ([name]) => !BESIDE_KWARGS.has(name) && name !== 'assistant_id',
  );
  return { ...given, kwargs: Object.fromEntries(kwargs) };
}

/** The request body with the changes of the handlers. */
export function bodyAfter(
  endpoint: Endpoint,
  permission: Permission,
  body: JsonObject,
  value: JsonObject,
): JsonObject {
  const params = isCommand(endpoint) ? JsonObject.safeParse(body.params).data : undefined;
  return params === undefined
    ? fieldsAfter(permission, body, value)
    : { ...body, params: fieldsAfter(permission, params, value) };
}

function fieldsAfter(permission: Permission, body: JsonObject, value: JsonObject): JsonObject {
  const { metadata, namespace } = value;
  const changed: JsonObject = { ...value, ...JsonObject.safeParse(value.kwargs).data };
  const after = Object.fromEntries(Object.entries(body).map(([name, was]) => [name, changed[name] ?? was]));
  if (metadata !== undefined) after.metadata = metadata;
  if (namespace !== undefined) after[namespaceFieldOf(permission) ?? 'namespace'] = namespace;
  return after;
}

/** A command of the v2 protocol has the fields of a run in its `params`. */
function isCommand({ path }: Endpoint): boolean {
  return path.endsWith('/commands');
}

function namespaceFieldOf({ on, action }: Permission): string | undefined {
  return NAMESPACE_FIELDS[`${on}:${action}`];
}
