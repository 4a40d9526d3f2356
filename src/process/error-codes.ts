/** SQLite's primary result code in an error from `node:sqlite`. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

/** The code of a file-system error, such as `ENOSPC`. */
export function fileSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * The SQLSTATE of an error from PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html):
 * in `sqlState` of our own errors, in `code` of those of the driver.
 */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('sqlState' in error) return typeof error.sqlState === 'string' ? error.sqlState : undefined;
  if (!('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
