import type { RuntimeState } from '../../contract/harbor.ts';
import type { ConfigDocument } from '../config-document.ts';
import type { ProjectFiles } from '../project-files.ts';

/** The input of the checks. */
export interface CheckInput {
  readonly config: ConfigDocument;
  readonly files: ProjectFiles;
  /** Environment variables that are set outside langgraph.json. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The result of loading the graphs, if they were loaded. */
  readonly runtime?: RuntimeState | undefined;
}
