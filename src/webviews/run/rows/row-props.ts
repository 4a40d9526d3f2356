import type { ComponentType } from 'preact';
import type { PanelProps } from '../panel-props.ts';
import type { TimelineRow } from '../timeline-rows.ts';
import type { Row } from '../transcript-model.ts';

/** The props of a row of the timeline. */
export interface RowProps<K extends Row['kind'] = Row['kind']> {
  readonly row: Extract<Row, { kind: K }>;
  readonly store: PanelProps['store'];
}

/** The props of a row that depends on where its graph is. */
export interface PlacedRowProps<K extends Row['kind'] = Row['kind']> extends RowProps<K> {
  /** Whether the graph is one of the open folder; known later than the first rows. */
  readonly isLive: boolean;
}

export interface RowViewProps extends Pick<PlacedRowProps, 'store' | 'isLive'> {
  readonly row: TimelineRow;
  /** Whether answers show the node that produced them. */
  readonly hasHeads: boolean;
  /** Whether a run is in progress whose newest answers these are, so that their open tool calls are running. */
  readonly isCurrent: boolean;
}

export interface AnswerProps extends RowProps<'ai'> {
  /** Whether it shows the node that produced it. */
  readonly hasHead: boolean;
  readonly isCurrent: boolean;
  /** Draws the rows of inner conversations. */
  readonly InnerRow: ComponentType<RowViewProps>;
}
