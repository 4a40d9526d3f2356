import { RevisionElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Compares a revision, even one that failed, with the live one. */
export const compareWithLive = rowCommand([RevisionElement], async (_parts: unknown, row) =>
  (await import('./compare-revisions.ts')).compareWithLive(row),
);
