import { resolve } from 'node:path';

/** The bundles that `npm run build` made; `AGENT_HARBOR_DIST` names another build. */
export const distFolder = process.env.AGENT_HARBOR_DIST ?? resolve(import.meta.dirname, '../../dist');

/** The path of a bundle in that build. */
export function bundle(name: 'server.js' | 'cli.js' | 'language-server.cjs'): string {
  return resolve(distFolder, name);
}
