import { resolve } from 'node:path';

const folder = process.env.AGENT_HARBOR_DIST ?? resolve(import.meta.dirname, '../../dist');

/** A bundle as `npm run build` made it; `AGENT_HARBOR_DIST` names another build. */
export function bundle(name: 'server.js' | 'cli.js' | 'language-server.cjs'): string {
  return resolve(folder, name);
}
