import { access } from 'node:fs/promises';

/**
 * Whether a file or folder exists, as far as this process can see it.
 * @param mode the rights that are also required, such as `constants.X_OK`.
 */
export function exists(place: string, mode?: number): Promise<boolean> {
  return access(place, mode).then(
    () => true,
    () => false,
  );
}
