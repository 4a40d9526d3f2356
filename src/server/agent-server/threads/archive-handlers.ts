import type { archive as archiveEndpoints } from '../../../contract/agent-server/archive.ts';
import type { Handlers } from '../../http/router.ts';
import { ThreadArchive, type ThreadArchiveOptions } from './thread-archive.ts';

/**
 * Threads with their whole history from server to server, a page at a time; extra endpoints, which no public server
 * has.
 */
export function archiveHandlers(options: ThreadArchiveOptions): Handlers<typeof archiveEndpoints> {
  const archive = new ThreadArchive(options);
  return {
    exportThread: ({ params, query }) => archive.read(params.thread_id, query.cursor),
    importThread: ({ params, body }) => archive.write(params.thread_id, body),
  };
}
