import type { PanelProps } from '../panel-props.ts';
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
