/**
 * Everything before the `@` of an address: a user and a password, or a token in place of the user. The last `@` counts,
 * because a password may contain others.
 */
const URL_CREDENTIALS = /(\bhttps?:\/\/)[^\s/"']+@/g;

/** A line of a tool's output without the passwords in addresses, which not every installer hides. */
export function hidePasswords(line: string): string {
  return line.replaceAll(URL_CREDENTIALS, '$1***@');
}
