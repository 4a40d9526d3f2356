import type { IncomingHttpHeaders } from 'node:http';
import type { HttpConfig } from '../../runtimes/project/project-config.ts';

type Selection = HttpConfig['configurable_headers'];

/** Headers with credentials, which are only passed on if they are named in full. */
const CREDENTIAL_HEADERS = new Set([
  'x-api-key',
  'x-auth-scheme',
  'x-tenant-id',
  'x-service-key',
  'authorization',
  'cookie',
]);

/**
 * Whether `includes` and `excludes` select a header (docs/langgraph-json.md).
 * @param name in lower case.
 * @param byDefault decides if there is no `includes`.
 */
export function isChosen(name: string, selection: Selection, byDefault: (name: string) => boolean): boolean {
  const isNamed = (selection?.includes ?? []).some((pattern) => pattern.toLowerCase() === name);
  if (CREDENTIAL_HEADERS.has(name) && !isNamed) return false;
  if (matchesAny(name, selection?.excludes ?? [])) return false;
  if (matchesAny(name, selection?.includes ?? [])) return true;
  return selection?.includes == null && byDefault(name);
}

/** The request headers to log: those in `http.logging_headers`, without credentials. */
export function loggedHeaders(headers: IncomingHttpHeaders, selection: Selection): object {
  if (selection?.includes == null) return {};
  const chosen = Object.entries(headers).filter(
    ([name]) => !CREDENTIAL_HEADERS.has(name) && isChosen(name, selection, () => false),
  );
  return { headers: Object.fromEntries(chosen) };
}

/** Whether a name matches a pattern, in which `*` matches anything. */
function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const source = pattern
      .toLowerCase()
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*');
    return new RegExp(`^${source}$`).test(name);
  });
}
