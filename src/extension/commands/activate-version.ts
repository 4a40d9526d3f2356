import { VersionElement } from '../views/assistants.ts';
import type { Command } from './command.ts';

/** Makes a version of an assistant the one that runs use. */
export const activateVersion: Command = async ({ trees }, given) => {
  if (!(given instanceof VersionElement)) return;
  const { assistant_id, version } = given.version;
  await given.parent.opened.client.assistants.setLatest({ params: { assistant_id }, body: { version } });
  trees.assistants.refresh();
};
