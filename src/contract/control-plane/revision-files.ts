import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';

/** A file in the source that a revision was made from. */
export const RevisionFile = z.object({
  /** The path from the top of the source, with slashes. */
  path: z.string(),
  size_bytes: z.int(),
  /** The text, or for a symbolic link its target, as in git. Absent if any of it is left out. */
  text: z.string().optional(),
  left_out: z.enum(['secret', 'binary', 'large']).optional(),
  /** The SHA-256 of the content in hexadecimal; absent for secrets. */
  sha256: z.string().optional(),
});
export type RevisionFile = z.output<typeof RevisionFile>;

export const RevisionFiles = z.object({
  /** The files, sorted by path. */
  files: z.array(RevisionFile),
  /** Whether these are all files; a very large source is not read to its end. */
  is_complete: z.boolean(),
});
export type RevisionFiles = z.output<typeof RevisionFiles>;

/** Agent Harbor only: the files of revisions, to compare them. */
export const revisionFiles = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/deployments/{deployment_id}/revisions/{revision_id}/files',
    summary: 'List the source files of a revision with their contents, without secrets',
    credentials: 'api-key',
    right: 'deploy',
    params: z.object({ deployment_id: Uuid, revision_id: Uuid }),
    responses: { 200: RevisionFiles },
  }),
};
