import { PROJECT_DIR } from './image-layout.ts';
import type { ImageProject } from './image-project.ts';

/** Files with credentials that are mounted while packages are installed, relative to the context. */
export function secretFilesOf({ node, python }: Pick<ImageProject, 'node' | 'python'>): string[] {
  return [...(node?.secretFiles ?? []), ...(python?.secretFiles ?? [])];
}

/** The ID of the build secret for a file with credentials. */
export function secretId(file: string): string {
  return file.replaceAll(/[^\w.-]/g, '_');
}

/** The mount that makes a file with credentials available at its path during one instruction. */
export function secretMount(file: string): string {
  return `type=secret,id=${secretId(file)},target=${PROJECT_DIR}/${file}`;
}
