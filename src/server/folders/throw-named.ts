import { z } from 'zod';
import { RpcError } from '../../runtime/protocol/connection.ts';

/** An error of user code, as the runtime describes it. */
const Thrown = z.object({ name: z.string(), message: z.string() });
/** Names that are left out: general ones, and those of errors whose message is a complete sentence. */
const OMITTED_NAMES = new Set([
  'Error',
  'Exception',
  'GraphLoadError',
  'MissingPackageError',
  'OldLangGraphError',
  'ReturnValueError',
]);

/**
 * Adds the error's class to the message of an error of user code. For example, the message of Python's KeyError is only the
 * key.
 * @throws RpcError with the new message; other errors unchanged.
 */
export function throwNamed(error: unknown): never {
  if (!(error instanceof RpcError)) throw error;
  const thrown = Thrown.safeParse(error.data).data;
  if (thrown === undefined || OMITTED_NAMES.has(thrown.name) || thrown.message === thrown.name) throw error;
  throw new RpcError(error.code, `${thrown.name}: ${thrown.message}`, error.data);
}
