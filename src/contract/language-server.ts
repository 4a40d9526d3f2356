// Messages from an editor to the language server beyond the Language Server Protocol.

import { z } from 'zod';
import { RuntimeState } from './harbor.ts';

/** Options of `initialize`. */
export const LanguageServerOptions = z.looseObject({
  /** False when the editor itself reports JSON errors, as VS Code does. */
  reports_syntax: z.boolean().default(true),
  /**
   * The editor's command that shows completions. It is run after a folder was completed, because its content
   * can be chosen next.
   */
  suggest_command: z.string().optional(),
  /**
   * The commands that code lenses run, with a `RunGraph` as the argument; a lens whose command is absent is not shown.
   */
  run_command: z.string().optional(),
  debug_command: z.string().optional(),
  deploy_command: z.string().optional(),
});
export type LanguageServerOptions = z.output<typeof LanguageServerOptions>;

/** A notification: every langgraph.json of the open folders, and the state of its graphs. */
export const FOLDER_CONFIGS_METHOD = 'agentHarbor/folderConfigs';

export const FolderConfigsParams = z.object({
  configs: z.array(
    z.object({
      /** The absolute path of the langgraph.json. */
      path: z.string(),
      /** Absent when the graphs were not loaded. */
      runtime: RuntimeState.optional(),
    }),
  ),
});
export type FolderConfigsParams = z.output<typeof FolderConfigsParams>;

/** The argument of a code lens's command. */
export const RunGraph = z.object({ config_path: z.string(), graph_id: z.string() });
export type RunGraph = z.output<typeof RunGraph>;
