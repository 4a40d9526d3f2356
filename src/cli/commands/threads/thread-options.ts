import type { TargetOptions } from '../../agents/target.ts';

export interface ThreadOptions extends TargetOptions {
  readonly json?: true;
}
