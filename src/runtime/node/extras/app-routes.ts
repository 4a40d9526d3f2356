import type { AppRoute } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import type { AppRequest } from './request-body.ts';

/** The parts of a Hono app that describe its routes. */
interface RoutedApp {
  readonly routes: readonly { readonly method: string; readonly path: string; readonly handler: unknown }[];
  all(path: string, handler: (context: HandlerContext) => unknown): unknown;
}

/** The argument of a handler of Hono. */
export interface HandlerContext {
  readonly req: AppRequest;
}

/**
 * Whether the routes of an app are known. An app without known routes only gets requests that the server does
 * not answer.
 */
export function isRoutedApp(app: unknown): app is RoutedApp {
  return isRecord(app) && Array.isArray(app.routes) && typeof app.all === 'function';
}

/**
 * The requests that an app handles: those for its routes and its middleware, which Hono has in the same list.
 */
export function appRoutes({ routes }: RoutedApp): AppRoute[] {
  return routes.map(({ method, path }) => ({
    pattern: patternOf(path),
    ...(method === 'ALL' ? {} : { methods: method === 'GET' ? ['GET', 'HEAD'] : [method] }),
  }));
}

/** Describes the app's routes as OpenAPI. */
export function appPaths({ routes }: RoutedApp): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path } of routes) {
    if (method === 'ALL') continue;
    const parameters = [...path.matchAll(PARAMETER)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    const operation = { ...(parameters.length === 0 ? {} : { parameters }), responses: SUCCESS };
    const key = path.replace(PARAMETER, '{$1}');
    paths[key] = { ...paths[key], [method.toLowerCase()]: operation };
  }
  return paths;
}

const SUCCESS = { 200: { description: 'Success' } };
const PARAMETER = /:(\w+)(?:\{[^}]*\})?\??/g;

/** Converts a Hono path to a regular expression: `/a/:id`, `/a/:id{[0-9]+}`, `/a/:id?`, `/a/*`. */
function patternOf(path: string): string {
  const source = path
    .split('/')
    .slice(1)
    .map((segment, index, all) => {
      if (segment === '*') return index === all.length - 1 ? '(?:/.*)?' : '/[^/]+';
      const [, expression, optional] = /^:\w+(?:\{(.*)\})?(\?)?$/.exec(segment) ?? [];
      const isParameter = segment.startsWith(':');
      const text = isParameter ? (expression ?? '[^/]+') : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return optional === undefined ? `/(?:${text})` : `(?:/(?:${text}))?`;
    })
    .join('');
  return `^${source}/?$`;
}
