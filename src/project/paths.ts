import path from 'node:path';

/**
 * Whether two absolute paths name the same file. Case does not count on Windows, where editors and debuggers write drive
 * letters in either case.
 */
export function samePath(a: string, b: string, platform: NodeJS.Platform = process.platform): boolean {
  return flavorOf(platform).relative(a, b) === '';
}

/**
 * Whether a file or folder is inside another folder, at any depth; the folder itself is not. Both are absolute
 * paths.
 */
export function isInside(
  folder: string,
  file: string,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const flavor = flavorOf(platform);
  const relative = flavor.relative(folder, file);
  const leaves = relative === '..' || relative.startsWith(`..${flavor.sep}`) || flavor.isAbsolute(relative);
  return relative !== '' && !leaves;
}

function flavorOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}
