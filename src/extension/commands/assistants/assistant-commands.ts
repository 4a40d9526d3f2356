import { activateVersion } from './activate-version.ts';
import { createAssistant } from './create-assistant.ts';
import { deleteAssistant } from './delete-assistant.ts';
import { editAssistant } from './edit-assistant.ts';
import { openVersion } from './open-version.ts';

/** Commands about assistants. */
export const assistantCommands = {
  activateVersion,
  createAssistant,
  deleteAssistant,
  editAssistant,
  openVersion,
};
