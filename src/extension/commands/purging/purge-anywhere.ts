import { purge } from './purge.ts';

/** Purges from the title bar of the view, which passes the focused row, so it asks for the project. */
export const purgeAnywhere: typeof purge = (parts) => purge(parts);
