import type { CreateProjectParts } from '../../projects/ask-and-create-project.ts';
import type { Command } from '../command.ts';

/** Writes a small agent that works offline to begin a project with, opens it, and makes it ready to run. */
export const createProject: Command<CreateProjectParts> = async (parts) => {
  const { askAndCreateProject } = await import('../../projects/ask-and-create-project.ts');
  await askAndCreateProject(parts);
};
