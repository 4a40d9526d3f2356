import type { archive as archiveEndpoints } from '../../../contract/agent-server/archive.ts';
import type { Handlers } from '../../http/router.ts';
import { ThreadArchive, type ThreadArchiveOptions } from '../threads/thread-archive.ts';

/** Handlers that export and import threads with their history, page by page. Only Agent Harbor has them. */
export function archiveHandlers(options: ThreadArchiveOptions): Handlers<typeof archiveEndpoints> {
  const archive = new ThreadArchive(options);
  return {
    exportThread: ({ params, query }) => archive.read(params.thread_id, query.cursor),
    importThread: ({ params, body }) => archive.write(params.thread_id, body),
  };
}
