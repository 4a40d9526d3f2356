import type { RunPanelState, Session } from '../../extension/panels/run/messages.ts';
import type { Attachment } from '../shared/attachment.ts';
import type { Transcript } from './transcript-model.ts';

/** The current contents of the panel. */
export interface PanelView {
  readonly session: Session | undefined;
  readonly transcript: Transcript;
  /** The error message of a failed request. */
  readonly problem: string | undefined;
  /** The checkpoint whose state is being edited; without one it is the state that is shown. */
  readonly editing: { readonly checkpointId: string | undefined } | undefined;
  /** Files that go along with the next message; too much to be kept over a reload. */
  readonly attached: readonly Attachment[];
  /** How often a run was refused for its context: each time the field that is wrong is shown. */
  readonly contextRefusals: number;
  readonly saved: RunPanelState;
}
