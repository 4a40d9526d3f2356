import type { CreateProjectParts } from '../../projects/ask-and-create-project.ts';
import type { Command } from '../command.ts';

/** Creates a project with a small agent that works offline, opens it, and prepares it to run. */
export const createProject: Command<CreateProjectParts> = async (parts) => {
  const { askAndCreateProject } = await import('../../projects/ask-and-create-project.ts');
  await askAndCreateProject(parts);
};
