import { purge } from './purge.ts';

/** Purges from the title bar of the view. It asks for the project, because VS Code passes the focused row. */
export const purgeAnywhere: typeof purge = (parts) => purge(parts);
