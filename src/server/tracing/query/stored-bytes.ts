import { sql } from 'kysely';
import { z } from 'zod';
import type { ReaderContext } from '../context/reader-context.ts';
import { findWorkspaceKey } from '../sessions/workspace-keys.ts';

const Places = z.record(z.string(), z.unknown());
const SeparateBlob = z.object({ blob: z.string(), length: z.number() });

/**
 * Counts the bytes of a workspace's payloads and attachments, and of its examples with their files. Payloads
 * count with their compressed size, but those that are separate files or objects count with their length.
 */
export function readStoredBytes(
  { db }: ReaderContext,
  { workspaceId }: { readonly workspaceId: string },
): number {
  const workspace = findWorkspaceKey(db, workspaceId);
  if (workspace === undefined) return 0;
  const blocks = db.build
    .selectFrom('payload_blocks')
    .innerJoin('traces', 'traces.key', 'payload_blocks.trace')
    .select(sql<number | null>`sum(octet_length(payload_blocks.data))`.as('bytes'))
    .where('traces.workspace', '=', workspace);
  const attachments = db.build
    .selectFrom('attachments')
    .innerJoin('traces', 'traces.key', 'attachments.trace')
    .select(({ fn }) => fn.sum<number | null>('attachments.length').as('bytes'))
    .where('traces.workspace', '=', workspace);
  const examples = db.build
    .selectFrom('example_versions')
    .select(
      sql<
        number | null
      >`sum(coalesce(octet_length(inputs), 0) + coalesce(octet_length(outputs), 0) + coalesce(octet_length(metadata), 0))`.as(
        'bytes',
      ),
    )
    .where('workspace', '=', workspace);
  const files = db.build
    .selectFrom('example_files')
    .select(sql<number | null>`sum(octet_length(data))`.as('bytes'))
    .where('workspace', '=', workspace);
  const runsWithBlobs = db.build
    .selectFrom('runs')
    .select('payloads')
    .where('workspace', '=', workspace)
    .where('payloads', 'like', '%"blob"%');
  const sums = [blocks, attachments, examples, files].map((query) => Number(db.get(query)?.bytes ?? 0));
  const blobs = db.all(runsWithBlobs).flatMap(({ payloads }) =>
    Object.values(Places.parse(JSON.parse(payloads))).map((place) => {
      const separate = SeparateBlob.safeParse(place);
      // Other payloads are in the blocks.
      return separate.success ? separate.data.length : 0;
    }),
  );
  return [...sums, ...blobs].reduce((sum, bytes) => sum + bytes, 0);
}
