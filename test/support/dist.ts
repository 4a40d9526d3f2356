import { resolve } from 'node:path';

/** The bundles as `npm run build` made them; `AGENT_HARBOR_DIST` names another build. */
export const distFolder = process.env.AGENT_HARBOR_DIST ?? resolve(import.meta.dirname, '../../dist');

/** A bundle of that build. */
export function bundle(name: 'server.js' | 'cli.js' | 'language-server.cjs'): string {
  return resolve(distFolder, name);
}
