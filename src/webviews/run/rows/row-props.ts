import type { ComponentType } from 'preact';
import type { PanelProps } from '../panel-props.ts';
import type { TimelineRow } from '../timeline-rows.ts';
import type { Row, RowOf } from '../transcript-model.ts';

/** The props of a row of the timeline. */
export interface RowProps<K extends Row['kind'] = Row['kind']> {
  readonly row: RowOf<K>;
  readonly store: PanelProps['store'];
}

/** The props of a row that depends on whether the graph is in the open folder. */
export interface FolderRowProps<K extends Row['kind'] = Row['kind']> extends RowProps<K> {
  /** Whether the graph is in the open folder; false until that is known. */
  readonly isLive: boolean;
}

/** The props of `RowView`, which draws a row of any kind. */
export interface RowViewProps extends Pick<FolderRowProps, 'store' | 'isLive'> {
  readonly row: TimelineRow;
  /** Whether answers show the node that produced them. */
  readonly showsNodes: boolean;
  /** Whether these are the newest answers of a run in progress, so that their open tool calls are running. */
  readonly isCurrent: boolean;
}

export interface AnswerProps extends RowProps<'ai'>, Pick<RowViewProps, 'isCurrent'> {
  /** Whether the answer shows the node that produced it. */
  readonly showsNode: boolean;
  /** Draws the rows of inner conversations. */
  readonly InnerRow: ComponentType<RowViewProps>;
}
