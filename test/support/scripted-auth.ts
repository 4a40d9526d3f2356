/** Tells a handler how to answer. */
export interface HandlerScript {
  readonly refuse?: boolean;
  /** The result of the handler. */
  readonly filters?: unknown;
  /** As in the public documentation, stores the owner in the metadata and returns it as a filter. */
  readonly owner?: boolean;
  /** Fields to set in the value, by dotted path. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Dotted paths of fields that are deleted. */
  readonly remove?: readonly string[];
  /** Prefixes the namespace with the user's identity. */
  readonly prefix?: boolean;
}

export type HandlerScripts = Readonly<Record<string, HandlerScript>>;

const NODE = `
import { appendFileSync } from 'node:fs';
import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';

function memberOf(value, path) {
  const keys = path.split('.');
  const last = keys.pop();
  for (const key of keys) value = value[key] ??= {};
  return [value, last];
}

export const auth = new Auth()
  .authenticate((request) => {
    const identity = request.headers.get('x-user');
    if (identity === null) throw new HTTPException(401, { message: 'Say who you are.' });
    const { 'x-call': call = '', 'x-script': script = '{}' } = Object.fromEntries(request.headers);
    return { identity, permissions: ['read'], call, script };
  })
  .on('*', ({ event, value, user }) => {
    if (user.call) appendFileSync(process.env.ASKED, user.call + ' ' + event + '\\n');
    const scripts = JSON.parse(user.script ?? '{}');
    const script = scripts[event] ?? scripts['*'] ?? {};
    for (const [path, wanted] of Object.entries(script.set ?? {})) {
      const [object, key] = memberOf(value, path);
      object[key] = wanted;
    }
    for (const path of script.remove ?? []) {
      const [object, key] = memberOf(value, path);
      delete object[key];
    }
    if (script.prefix) value.namespace = [user.identity, ...(value.namespace ?? [])];
    if (script.refuse) return false;
    if (script.owner) {
      value.metadata ??= {};
      value.metadata.owner = user.identity;
      return { owner: user.identity };
    }
    return script.filters;
  });
`;

const PYTHON = `
import json
import os
from langgraph_sdk import Auth

auth = Auth()


def member_of(value, path):
    *keys, last = path.split(".")
    for key in keys:
        value = value.setdefault(key, {})
    return value, last


@auth.authenticate
async def authenticate(headers: dict):
    identity = headers.get(b"x-user")
    if identity is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Say who you are.")
    return {
        "identity": identity.decode(),
        "permissions": ["read"],
        "call": headers.get(b"x-call", b"").decode(),
        "script": headers.get(b"x-script", b"{}").decode(),
    }


@auth.on
async def decide(ctx: Auth.types.AuthContext, value: dict):
    event = f"{ctx.resource}:{ctx.action}"
    if ctx.user.call:
        with open(os.environ["ASKED"], "a") as asked:
            asked.write(f"{ctx.user.call} {event}\\n")
    scripts = json.loads(ctx.user.script)
    script = scripts.get(event) or scripts.get("*") or {}
    for path, wanted in script.get("set", {}).items():
        container, key = member_of(value, path)
        container[key] = wanted
    for path in script.get("remove", []):
        container, key = member_of(value, path)
        container.pop(key, None)
    if script.get("prefix"):
        value["namespace"] = (ctx.user.identity,) + (value["namespace"] or ())
    if script.get("refuse"):
        return False
    if script.get("owner"):
        value.setdefault("metadata", {})["owner"] = ctx.user.identity
        return {"owner": ctx.user.identity}
    return script.get("filters")
`;

/**
 * Projects' `auth`, as files and their `auth.path`. The handlers do what the request's header `x-script` says for their
 * event or for `*`. If the request has an `x-call`, they append a line to the file `ASKED`: the `x-call` and the event.
 */
export const scriptedAuth = {
  node: { files: { 'auth.mjs': NODE }, path: './auth.mjs:auth' },
  python: { files: { 'auth.py': PYTHON }, path: './auth.py:auth' },
};
