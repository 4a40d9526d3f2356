import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { writePrivateFile } from '../process/private-files.ts';
import { ContainerToolError } from './container-tool.ts';

/**
 * Variables that must not be in the environment of the container tool, because the tool, or a script that
 * wraps it, reads them.
 */
const TOOL_VARIABLES =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|ENV|SYSTEMROOT|(?:LD|DYLD|GO|BASH|SHELL|DOCKER|_?CONTAINERS?|PODMAN|BUILDAH|REGISTRY|STORAGE|XDG|CNI|NETAVARK|DBUS|NODE|AGENT_HARBOR)(?:_.*|[A-Z]+)?)$/i;
/**
 * The names that are allowed. Others could be read as several lines or as a pattern, or take their values from the
 * tool's own environment, which is the server's.
 */
const NAME = /^[\w./:@-]+$/;
/** The maximum length of a value, because container tools read such files line by line. */
const MAX_VALUE_CHARS = 30_000;

/** The variables of a container, in the form that the tool reads. */
export interface EnvironmentFile {
  readonly path: string;
  /**
   * Variables that cannot be in the file, because they have line breaks or quotes, or are long. The tool's
   * environment contains them instead.
   */
  readonly others: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/**
 * Writes variables into a file that only this user can read, because everybody can read the arguments of a
 * process.
 * @throws ContainerToolError for a variable that can be neither in the file nor in the tool's environment.
 */
export async function writeEnvironmentFile(
  folder: string,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<EnvironmentFile> {
  const lines: string[] = [];
  const others: Record<string, string> = {};
  for (const [variable, value] of Object.entries(variables)) {
    if (!NAME.test(variable))
      throw new ContainerToolError(
        `${JSON.stringify(variable)} cannot be the name of a variable. Use letters, digits and _ in the env of langgraph.json.`,
      );
    if (isLine(value)) lines.push(`${variable}=${value}\n`);
    else if (!TOOL_VARIABLES.test(variable)) others[variable] = value;
    else
      throw new ContainerToolError(
        `${variable} cannot contain line breaks or quotes, or be longer than ${MAX_VALUE_CHARS} characters, because the container tool uses variables of this name. Give the secret another name.`,
      );
  }
  const file = path.join(folder, `${name}.env`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const remove = () => rm(file, { force: true });
  try {
    await writePrivateFile(file, lines.join(''));
  } catch (error) {
    // Part of the file may have been written, for example before the disk was full.
    await remove();
    throw error;
  }
  return { path: file, others, remove };
}

/** Whether a value can be a line of the file. Values with quotes cannot, because some versions of the tools remove them. */
function isLine(value: string): boolean {
  return !/[\r\n"'`]/.test(value) && value.length <= MAX_VALUE_CHARS;
}
