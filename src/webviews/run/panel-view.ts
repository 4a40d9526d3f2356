import type { RunPanelState, Session } from '../../extension/panels/run/messages.ts';
import type { Attachment } from '../shared/attachment.ts';
import type { Transcript } from './transcript-model.ts';

/** The contents of the run panel. */
export interface PanelView {
  readonly session: Session | undefined;
  readonly transcript: Transcript;
  /** The error message of a failed request. */
  readonly problem: string | undefined;
  /**
   * Set while a state is edited: the state of the checkpoint, or, without a checkpoint, the state that is
   * shown.
   */
  readonly editing: { readonly checkpointId: string | undefined } | undefined;
  /** Files to send with the next message. They are too large to be kept when the page is reloaded. */
  readonly attached: readonly Attachment[];
  /** How often a run was refused because of its context. Each time, the invalid field gets the focus. */
  readonly contextRefusals: number;
  readonly saved: RunPanelState;
}
