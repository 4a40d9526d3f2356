import type { RuntimeError } from '../../../runtime/protocol/protocol.ts';

/** A name that npm's registry can have; paths, and aliases such as `@/lib` and `~`, are not package names. */
const PACKAGE_NAME = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i;

/** The package in a message of Node, such as `Cannot find package '@langchain/core' imported from …`. */
export function missingPackage({ message }: RuntimeError): string | undefined {
  const specifier = /Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1];
  if (specifier === undefined) return undefined;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return PACKAGE_NAME.test(name) ? name : undefined;
}
