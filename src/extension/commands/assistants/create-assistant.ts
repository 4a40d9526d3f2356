import type { Deployments } from '../../deployments/deployments.ts';
import { AssistantElement, AssistantGroup } from '../../views/assistants.ts';
import type { Command } from '../command.ts';
import type { NewAssistantParts } from './open-new-assistant.ts';

interface CreateAssistantParts extends NewAssistantParts {
  readonly deployments: Deployments;
}

/** Opens the document of a new assistant; saving it creates the assistant. */
export const createAssistant: Command<CreateAssistantParts> = async (parts, argument) => {
  const isRow = argument instanceof AssistantGroup || argument instanceof AssistantElement;
  const opened = isRow ? argument.opened : await parts.deployments.open();
  const { openNewAssistant } = await import('./open-new-assistant.ts');
  await openNewAssistant(parts, opened, isRow ? argument.graphId : undefined);
};
