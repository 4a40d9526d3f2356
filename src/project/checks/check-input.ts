import type { RuntimeState } from '../../contract/harbor.ts';
import type { ConfigDocument } from '../config-document.ts';
import type { ProjectFiles } from '../project-files.ts';

/** What checks look at. */
export interface CheckInput {
  readonly config: ConfigDocument;
  readonly files: ProjectFiles;
  /** The variables of this machine that are there whatever langgraph.json says. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What became of loading the graphs, when that has been tried. */
  readonly runtime?: RuntimeState | undefined;
}
