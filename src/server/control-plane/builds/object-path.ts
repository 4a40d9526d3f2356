/** The path that identifies an uploaded tarball in requests (`source_tarball_path`). */
export function objectPathOf(id: string): string {
  return `uploads/${id}.tar.gz`;
}

/** The ID in the path of an uploaded tarball; undefined for any other path. */
export function idOfObjectPath(objectPath: string): string | undefined {
  return objectPath.match(/^uploads\/([0-9a-f-]{36})\.tar\.gz$/)?.[1];
}
