import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import { findImage } from '../../../containers/image-details.ts';

const NAME = 'localhost/agent-harbor-empty:1';
/** An empty tar archive. */
const EMPTY_TAR = Buffer.alloc(10_240);

/**
 * Finds or creates the empty image that sandboxes are started from; everything that they read is mounted.
 * @param folder the folder for a temporary file.
 * @returns the ID of the image.
 */
export async function ensureEmptyImage(tool: ContainerTool, folder: string): Promise<string> {
  const found = await findImage(tool, NAME);
  if (found !== undefined) return found.id;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const archive = path.join(folder, 'empty.tar');
  await writeFile(archive, EMPTY_TAR);
  await tool.ask(['import', archive, NAME]);
  const made = await findImage(tool, NAME);
  if (made === undefined) throw new Error(`${tool.title} did not keep the image ${NAME}.`);
  return made.id;
}
