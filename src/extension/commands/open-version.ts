import { VersionElement } from '../views/assistants.ts';
import type { Command } from './command.ts';

/** Shows a version of an assistant as JSON. */
export const openVersion: Command = async ({ documents }, given) => {
  if (!(given instanceof VersionElement)) return;
  const { parent, version } = given;
  const { assistant_id, name } = version;
  await documents.showVersion(parent.deployment, assistant_id, name, version.version);
};
