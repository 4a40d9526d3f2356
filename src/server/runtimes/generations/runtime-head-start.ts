import { isObject } from '../../../process/objects.ts';
import { isTracingVariable } from '../../../project/tracing-variables.ts';
import { stringsIn } from '../../../project/variables.ts';
import { nodeCommand } from '../node/node-command.ts';
import { launchProcess } from '../process/launch-runtime.ts';
import type { RuntimeChild } from '../process/runtime-child.ts';
import { untargetedEnvironment } from '../process/runtime-environment.ts';
import type { RuntimeCommand } from '../process/spawn-runtime.ts';
import { peekProject } from '../project/peek-project.ts';

/** A process that has been started, perhaps early. */
export interface BegunRuntime {
  readonly child: RuntimeChild;
  /** The variables that were not yet known when the process was started. */
  readonly lateVariables: Readonly<Record<string, string>>;
}

/**
 * Starts the process for Node graphs before the server itself has loaded, because LangGraph takes longer to load than the
 * server. Nothing is checked so early: if the process turns out to be the wrong one, it is ended. If it cannot be started,
 * opening the folder reports why.
 */
export class RuntimeHeadStart {
  #begun: { readonly child: RuntimeChild; readonly command: RuntimeCommand } | undefined;

  /**
   * @param firstFolder the JSON of the folder that the server opens first.
   * @param nodeRuntime the bundle that runs Node graphs.
   */
  static async begin(firstFolder: string, nodeRuntime: string): Promise<RuntimeHeadStart> {
    const headStart = new RuntimeHeadStart();
    try {
      const folder: unknown = JSON.parse(firstFolder);
      if (!isObject(folder) || typeof folder.config_path !== 'string') return headStart;
      const env = folder.env === undefined ? process.env : stringsIn(folder.env);
      const project = await peekProject(folder.config_path, env);
      if (project === undefined) return headStart;
      const { command } = await nodeCommand(project, untargetedEnvironment(project, env), nodeRuntime);
      headStart.#follow(await launchProcess(command), command);
    } catch {
      // Opening the folder reports the problem.
    }
    return headStart;
  }

  /** Hands over the process if it matches a command; otherwise ends it. */
  take(command: RuntimeCommand): BegunRuntime | undefined {
    const begun = this.#begun;
    if (begun === undefined) return undefined;
    const lateVariables = missingVariables(begun.command, command);
    if (lateVariables === undefined) {
      this.end();
      return undefined;
    }
    this.#begun = undefined;
    return { child: begun.child, lateVariables };
  }

  /** Ends the process if it was not taken. */
  end(): void {
    this.#begun?.child.kill();
    this.#begun = undefined;
  }

  #follow(child: RuntimeChild, command: RuntimeCommand): void {
    this.#begun = { child, command };
    const gone = () => {
      if (this.#begun?.child === child) this.#begun = undefined;
    };
    void child.exited.then(gone);
    child.pipe.on('error', gone);
  }
}

/**
 * The variables that a process lacks in order to match another command; undefined if more than the tracing destination
 * differs.
 */
function missingVariables(begun: RuntimeCommand, wanted: RuntimeCommand): Record<string, string> | undefined {
  const same = ({ file, args, cwd }: RuntimeCommand) => JSON.stringify([file, args, cwd]);
  if (same(begun) !== same(wanted)) return undefined;
  if (Object.keys(begun.env).some((name) => !(name in wanted.env))) return undefined;
  const missing = Object.entries(wanted.env).filter(([name, value]) => begun.env[name] !== value);
  return missing.every(([name]) => isTracingVariable(name)) ? Object.fromEntries(missing) : undefined;
}
