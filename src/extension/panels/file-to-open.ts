import { z } from 'zod';

/** A file from a message, to be shown in an editor. */
export const FileToOpen = z.object({
  name: z.string(),
  mime: z.string(),
  /** Base64. */
  data: z.string(),
});
