import { RequestError } from '../../client/request-error.ts';
import { messageOf } from '../../process/message-of.ts';

/**
 * The sentence to show for anything that was thrown.
 * @param takesHeaders whether the command has `--header`, which can carry a key
 */
export function explain(error: unknown, takesHeaders = false): string {
  if (error instanceof RequestError) {
    // For bad input the server's message is enough, without status and path.
    if (error.status !== undefined && error.status < 500 && typeof error.detail === 'string') {
      return error.status === 401 ? withKeyVariable(error.detail, takesHeaders) : error.detail;
    }
    if (error.status === 422 && Array.isArray(error.detail)) {
      return error.detail
        .map(({ loc, msg }) => `${loc.slice(1).join('.') || loc.join('.')}: ${msg}`)
        .join('; ');
    }
  }
  return messageOf(error);
}

/** Adds what to do about a missing or wrong key. Errors of an agent's own authentication stay unchanged. */
function withKeyVariable(detail: string, takesHeaders: boolean): string {
  if (!/\bAPI key\b/i.test(detail)) return detail;
  if (/x-api-key/i.test(detail)) {
    const orHeader = takesHeaders ? ', or add --header "x-api-key: <key>"' : '';
    return `An API key is required. Set LANGGRAPH_API_KEY or LANGSMITH_API_KEY in the environment${orHeader}.`;
  }
  const orHeader = takesHeaders ? ', and --header' : '';
  return `${detail} Check LANGGRAPH_API_KEY and LANGSMITH_API_KEY in the environment${orHeader}.`;
}
