import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import { findImage } from '../../../containers/image-details.ts';

const NAME = 'localhost/agent-harbor-empty:1';
/** An empty tar archive. */
const NOTHING = Buffer.alloc(10_240);

/**
 * An empty image: everything that a sandbox reads is mounted.
 * @param folder the folder for a temporary file.
 * @returns its id.
 */
export async function emptyImage(tool: ContainerTool, folder: string): Promise<string> {
  const found = await findImage(tool, NAME);
  if (found !== undefined) return found.id;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const archive = path.join(folder, 'empty.tar');
  await writeFile(archive, NOTHING);
  await tool.ask(['import', archive, NAME]);
  const made = await findImage(tool, NAME);
  if (made === undefined) throw new Error(`${tool.title} did not keep the image ${NAME}.`);
  return made.id;
}
