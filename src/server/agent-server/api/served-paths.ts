import { plainPath } from '../../http/request-path.ts';
import type { HttpConfig } from '../../runtimes/project/project-config.ts';

/** The paths of a thread's runs, which `http.disable_runs` switches off, but not `http.disable_threads`. */
const RUNS_OF_THREAD = /^\/threads\/[^/]+\/runs(?:\/|$)/;
/** The paths that `http.disable_meta` switches off. */
const META = /^\/(?:info|metrics|docs|openapi\.json)?$/;

/**
 * The path of a request for the router, without `http.mount_prefix`. Paths without this prefix are served
 * too.
 * @returns undefined for paths that `http.disable_*` switches off.
 */
export function servedPath(url: string, http: HttpConfig | undefined): string | undefined {
  if (http === undefined) return url;
  const path = withoutPrefix(url, http.mount_prefix ?? '');
  const [plain = '/'] = plainPath(path).split('?', 1);
  const isSwitchedOff =
    (http.disable_meta && META.test(plain)) ||
    (http.disable_assistants && isUnder(plain, '/assistants')) ||
    (http.disable_store && isUnder(plain, '/store')) ||
    (http.disable_ui && isUnder(plain, '/ui')) ||
    (http.disable_mcp && isUnder(plain, '/mcp')) ||
    (http.disable_a2a && (isUnder(plain, '/a2a') || isUnder(plain, '/.well-known/agent-card.json'))) ||
    (http.disable_runs && (isUnder(plain, '/runs') || RUNS_OF_THREAD.test(plain))) ||
    (http.disable_threads && isUnder(plain, '/harbor/threads')) ||
    (http.disable_threads && isUnder(plain, '/threads') && !RUNS_OF_THREAD.test(plain));
  return isSwitchedOff ? undefined : path;
}

function withoutPrefix(url: string, prefix: string): string {
  const plain = prefix.replace(/\/+$/, '');
  if (plain === '' || !url.startsWith(plain)) return url;
  const rest = url.slice(plain.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
