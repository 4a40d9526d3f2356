import { copyCode } from './copy-code.ts';
import { copyError } from './copy-error.ts';
import { copyId } from './copy-id.ts';
import { copyJson } from './copy-json.ts';
import { copyMessage } from './copy-message.ts';

/** Commands that copy. */
export const copyingCommands = {
  copyCode,
  copyError,
  copyId,
  copyJson,
  copyMessage,
};
