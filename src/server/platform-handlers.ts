import type { platform as platformEndpoints } from '../contract/platform.ts';
import { docsPage } from './http/docs-page.ts';
import { openApiDocument } from './http/openapi.ts';
import type { Handlers, Router } from './http/router.ts';
import { statusPage } from './http/status-page.ts';

const TITLE = 'Agent Harbor: platform';

/** The platform's address describes all that is mounted on it. */
export function platformHandlers(router: Router): Handlers<typeof platformEndpoints> {
  return {
    ok: () => ({ ok: true }),
    openapi: (_, response) => {
      response.end(JSON.stringify(openApiDocument(TITLE, router.endpoints)));
    },
    docs: (_, response) => {
      response.end(docsPage(TITLE, router.endpoints));
    },
    status: ({ params }, response) => {
      response.end(statusPage(params.deployment_id));
    },
  };
}
