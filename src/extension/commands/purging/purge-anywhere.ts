import { purge } from './purge.ts';

/**
 * Purges from the title bar of the view: asks for the project, and ignores the focused row that VS Code
 * passes.
 */
export const purgeAnywhere: typeof purge = (parts) => purge(parts);
