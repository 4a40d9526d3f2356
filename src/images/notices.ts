import type { DockerfileChoices } from './dockerfile.ts';
import type { ImageProject } from './image-project.ts';

/** Sentences about settings of langgraph.json that have no effect, or an unexpected one, on an image. */
export function noticesOf({ config, node }: ImageProject, choices: DockerfileChoices): string[] {
  const chosen = choices.baseImage ?? config.base_image;
  const notices: string[] = [];
  if (config.api_version !== undefined)
    notices.push(`api_version is not used: the server in the image is Agent Harbor ${choices.version}.`);
  if (config.docker_compose_file !== undefined)
    notices.push('docker_compose_file is not used: an image is one container, which needs no other.');
  if (typeof config.env === 'object')
    notices.push('The variables in env are in the image, with langgraph.json. Keep secrets in an env file.');
  const unused = (['node_version', 'image_distro'] as const).filter((key) => config[key] !== undefined);
  if (chosen !== undefined && unused.length > 0)
    notices.push(`Everything comes from ${chosen}. Not used: ${unused.join(', ')}.`);
  if (node !== undefined && !node.hasLockfile)
    notices.push('There is no lockfile, so another build may install other versions of the packages.');
  return notices;
}
