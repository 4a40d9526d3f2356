import { z } from 'zod';
import { RpcError } from '../../runtime/protocol/connection.ts';

const Thrown = z.object({ name: z.string(), message: z.string() });
/** Names to leave out: meaningless ones, and those of errors whose message is a whole sentence. */
const UNSAID = new Set([
  'Error',
  'Exception',
  'GraphLoadError',
  'MissingPackageError',
  'OldLangGraphError',
  'ReturnValueError',
]);

/**
 * Adds the class to an error from user code, because Python's `'answer'` alone does not say that a key is missing.
 * @throws RpcError; other errors unchanged.
 */
export function namedError(error: unknown): never {
  if (!(error instanceof RpcError)) throw error;
  const thrown = Thrown.safeParse(error.data).data;
  if (thrown === undefined || UNSAID.has(thrown.name) || thrown.message === thrown.name) throw error;
  throw new RpcError(error.code, `${thrown.name}: ${thrown.message}`, error.data);
}
