import './grid.css';
import type { ComponentChildren } from 'preact';
import { PureComponent } from 'preact/compat';
import { useEffect, useRef } from 'preact/hooks';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { ErrorBoundary } from '../error-boundary.tsx';
import { rowOfKey } from './grid-keys.ts';

/** The height of a row in pixels, as in the stylesheet. */
const ROW_HEIGHT = 26;

export interface Column {
  readonly id: string;
  readonly title: string;
  /** The minimum width. */
  readonly widthPx: number;
  /** The column's share of the remaining space; by default none. */
  readonly share?: number;
  readonly isNumber?: boolean;
}

/** The attributes of the header row. The keyboard skips it, because there is nothing to do in it. */
const headRow = { role: 'row', 'aria-rowindex': 1 } as const;

interface GridProps<Row> {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly selected: string | undefined;
  readonly onSelect: (row: Row) => void;
  /** Called for Enter and a double click. */
  readonly onOpen?: (row: Row) => void;
  /** The cells of a row, one per column. */
  readonly cells: (row: Row) => readonly ComponentChildren[];
}

/** A table of any length with a selected row; only visible rows are in the document. */
export function Grid<Row>(props: GridProps<Row>) {
  const { name, columns, rows, idOf, selected, onSelect, onOpen, cells } = props;
  const list = useRef<VirtualizerHandle>(null);
  const index = rows.findIndex((row) => idOf(row) === selected);
  useEffect(() => {
    if (index >= 0) list.current?.scrollToIndex(index, { align: 'nearest' });
  }, [selected, index]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const current = rows[index];
    if (event.key === 'Enter' && current !== undefined && onOpen !== undefined) {
      event.preventDefault();
      onOpen(current);
      return;
    }
    const pageSize = Math.max(1, Math.floor((list.current?.viewportSize ?? 0) / ROW_HEIGHT) - 2);
    const wanted = rowOfKey(event.key, { index, count: rows.length, pageSize });
    const row = wanted === undefined ? undefined : rows[wanted];
    if (row === undefined) return;
    event.preventDefault();
    onSelect(row);
  };
  const rowId = (row: Row) => `${name}-${idOf(row)}`.replaceAll(/\s/g, '-');
  const active = rows[index];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table would lay out all of its rows
    <div
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={name}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={active === undefined ? undefined : rowId(active)}
      style={{ '--columns': columns.map(sizeOf).join(' '), '--columns-width': `${widthOf(columns)}px` }}
      onKeyDown={onKeyDown}
    >
      <div class="grid-row grid-head" {...headRow}>
        {columns.map((column) => (
          <span key={column.id} title={column.title} {...boxOf(column, 'columnheader')}>
            {column.title}
          </span>
        ))}
      </div>
      <Virtualizer
        ref={list}
        data={rows}
        itemSize={ROW_HEIGHT}
        startMargin={ROW_HEIGHT}
        keepMounted={index >= 0 ? [index] : []}
        bufferSize={ROW_HEIGHT * 12}
      >
        {(row: Row, at: number) => (
          <GridRow
            key={idOf(row)}
            id={rowId(row)}
            row={row}
            at={at}
            isSelected={at === index}
            columns={columns}
            onSelect={onSelect}
            onOpen={onOpen}
            cells={cells}
          />
        )}
      </Virtualizer>
    </div>
  );
}

interface RowProps<Row> extends Pick<GridProps<Row>, 'columns' | 'onSelect' | 'cells'> {
  readonly id: string;
  readonly row: Row;
  readonly at: number;
  readonly isSelected: boolean;
  readonly onOpen: ((row: Row) => void) | undefined;
}

/** A row, which is not drawn again while others arrive. */
class GridRow<Row> extends PureComponent<RowProps<Row>> {
  override render() {
    const { id, row, at, isSelected, columns, onSelect, onOpen, cells } = this.props;
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
      // biome-ignore lint/a11y/useSemanticElements: a table would lay out all of its rows
      <div
        id={id}
        class={isSelected ? 'grid-row selected' : 'grid-row'}
        role="row"
        tabIndex={-1}
        aria-rowindex={at + 2}
        aria-selected={isSelected}
        onClick={() => onSelect(row)}
        onDblClick={() => onOpen?.(row)}
      >
        <ErrorBoundary of={row}>
          <Cells row={row} cells={cells} columns={columns} />
        </ErrorBoundary>
      </div>
    );
  }
}

function Cells<Row>({ row, cells, columns }: Pick<RowProps<Row>, 'row' | 'cells' | 'columns'>) {
  return cells(row).map((content, column) => (
    <span key={columns[column]?.id} {...boxOf(columns[column], 'gridcell')}>
      {content}
    </span>
  ));
}

/** The size of a column in CSS's `grid-template-columns`. */
function sizeOf({ widthPx, share }: Column): string {
  return share === undefined ? `${widthPx}px` : `minmax(${widthPx}px, ${share}fr)`;
}

function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { widthPx }) => sum + widthPx, 0);
}

/** The attributes of a cell. Cells are not in a table, which would lay out all rows. */
function boxOf(column: Column | undefined, role: 'columnheader' | 'gridcell') {
  return { role, class: column?.isNumber ? 'cell number' : 'cell' };
}
