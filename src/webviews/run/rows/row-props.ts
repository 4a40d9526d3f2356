import type { PanelProps } from '../panel-props.ts';
import type { Row } from '../transcript-model.ts';

/** The props of a row of the timeline. */
export interface RowProps<K extends Row['kind'] = Row['kind']> {
  readonly row: Extract<Row, { kind: K }>;
  readonly store: PanelProps['store'];
}
