import path from 'node:path';
import type { ui as uiEndpoints } from '../../../contract/agent-server/ui.ts';
import { notFound } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import type { Project } from '../../runtimes/project/project.ts';
import type { UiBundles } from '../ui/ui-bundles.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

export interface UiOptions {
  readonly bundles: UiBundles;
  /** The address for clients, if it differs from the one at which the server listens. */
  readonly publicUrl: string | undefined;
  /** @throws HttpError 503 when langgraph.json cannot be read. */
  project(): Promise<Project>;
}

/**
 * Handlers for `/ui/{agent}`: the components of a project's own interface, as the tags that public SDKs
 * insert into a page.
 */
export function uiHandlers({ bundles, publicUrl, project }: UiOptions): Handlers<typeof uiEndpoints> {
  return {
    load: async (call, response) => {
      const { agent } = call.params;
      const served = await project();
      const bundle = await bundles.bundle(served, agent);
      const origin = publicUrl ?? originOf(call.headers.host ?? 'localhost');
      const base = `${origin}${served.config.http?.mount_prefix ?? ''}`;
      const address = (file: string) =>
        attribute(`${base}/ui/${encodeURIComponent(agent)}/${encodeURIComponent(file)}`);
      const tags = [...bundle.keys()].toSorted().flatMap((file) => {
        if (file.endsWith('.css')) return [`<link rel="stylesheet" href="${address(file)}" />`];
        if (file !== 'entrypoint.js') return [];
        const render = `__LGUI_${agent.replaceAll(/[^a-zA-Z0-9]/g, '_')}.render`;
        const loaded = attribute(`${render}(${JSON.stringify(call.body.name)}, "{{shadowRootId}}")`);
        return [`<script src="${address(file)}" onload='${loaded}'></script>`];
      });
      response.end(tags.join('\n'));
    },
    file: async ({ params }, response) => {
      const content = (await bundles.findCurrent(params.agent))?.get(params.file);
      if (content === undefined) throw notFound('File', params.file);
      const type = TYPES[path.extname(params.file)];
      if (type !== undefined) response.setHeader('content-type', type);
      response.end(content);
    },
  };
}

/**
 * The origin of a page's scripts. They use the page's protocol, except from this machine, where only http is
 * served.
 */
function originOf(host: string): string {
  return /^(?:localhost|127\.0\.0\.1)(?::|$)/.test(host) ? `http://${host}` : `//${host}`;
}

/**
 * Escapes text for an attribute in single quotes, or for one in double quotes if it has none itself. Double
 * quotes stay, because clients replace text that contains them.
 */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('<', '&lt;');
}
