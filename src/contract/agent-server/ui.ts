import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

/** Components of a project's own interface (`ui` of langgraph.json), as pages made with the public SDKs load them. */
export const ui = {
  load: endpoint({
    kind: 'raw',
    method: 'POST',
    path: '/ui/{agent}',
    summary: 'Get HTML that loads a component of `ui`',
    credentials: 'deployment',
    right: 'run',
    auth: 'authenticated',
    params: z.object({ agent: z.string().min(1) }),
    body: z.object({ name: z.string() }),
    contentType: 'text/html; charset=utf-8',
  }),
  // Script tags of a page send no key, and code that browsers are meant to run is not secret.
  file: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/ui/{agent}/{file}',
    summary: 'Get a script or style sheet of `ui`',
    credentials: 'none',
    params: z.object({ agent: z.string().min(1), file: z.string().min(1) }),
    contentType: 'text/plain; charset=utf-8',
  }),
};
