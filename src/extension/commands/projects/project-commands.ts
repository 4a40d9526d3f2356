import { buildImage } from './build-image.ts';
import { createConfig } from './create-config.ts';
import { createProject } from './create-project.ts';
import { installPackages } from './install-packages.ts';
import { openConfig } from './open-config.ts';
import { openEnvFile } from './open-env-file.ts';
import { openGraphSource } from './open-graph-source.ts';
import { reloadGraphs } from './reload-graphs.ts';
import { setUpCodingAgents } from './set-up-coding-agents.ts';

/** Commands about projects in the open folders. */
export const projectCommands = {
  buildImage,
  createConfig,
  createProject,
  installPackages,
  openConfig,
  openEnvFile,
  openGraphSource,
  reloadGraphs,
  setUpCodingAgents,
};
