import type { RunPanelState, Session } from '../../extension/panels/run/messages.ts';
import type { Attachment } from '../shared/attachment.ts';
import type { Transcript } from './transcript-model.ts';

/** The current contents of the panel. */
export interface PanelView {
  readonly session: Session | undefined;
  readonly transcript: Transcript;
  /** The error message of a failed request. */
  readonly problem: string | undefined;
  /** The checkpoint whose state is being edited; by default the one that is shown. */
  readonly editing: { readonly checkpointId: string | undefined } | undefined;
  /** Files to send with the next message; too large to be kept across a reload. */
  readonly attached: readonly Attachment[];
  /** How often a run was refused for its context; the invalid field is shown each time. */
  readonly contextRefusals: number;
  readonly saved: RunPanelState;
}
