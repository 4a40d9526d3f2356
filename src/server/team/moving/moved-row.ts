import { base64In, bytesAsText, SerializedBytes, standsForBytes } from '../../storage/serialized-bytes.ts';
import { storableText } from '../postgres/storable-text.ts';
import { TRACES_SCHEMA } from '../traces/traces-tables.ts';
import type { BlockPayloads } from './block-payloads.ts';
import type { MovedTable } from './moved-tables.ts';
import type { Row, Value } from './row.ts';
import { type ChangeSecret, SEALED_COLUMNS } from './sealed-columns.ts';

/** An agent that was served from a folder, and its name in the team's database. */
export interface NamedAgent {
  readonly configPath: string;
  readonly name: string;
}

/** The tables with serialized values. Elsewhere, text may happen to begin like text that represents bytes. */
const SERIALIZED: ReadonlySet<MovedTable> = new Set(['checkpoints', 'checkpoint_blobs', 'checkpoint_writes']);

export interface TeamRowOptions {
  /** The number of a server that does not exist, from which the team's first server takes over unfinished runs. */
  readonly node: number;
  readonly agent: NamedAgent | undefined;
  /** Large payloads that were rows in the folder, and are in the object store of the team. */
  readonly inBlocks: BlockPayloads | undefined;
  readonly changeSecret: ChangeSecret;
}

/** The row of a team's database for a row of a data folder. */
export function teamRow(table: MovedTable, row: Row, options: TeamRowOptions): Row {
  const moved = moveValues(table, row, { convert: teamValue, changeSecret: options.changeSecret });
  if (table === 'deployments') {
    // The port belongs to the folder's machine.
    moved.port = null;
    if (options.agent !== undefined && row.config_path === options.agent.configPath) {
      moved.config_path = options.agent.name;
      moved.name = options.agent.name;
    }
  }
  if (table === 'runs' && (row.status === 'pending' || row.status === 'running'))
    moved.lease_owner = String(options.node);
  if (table === `${TRACES_SCHEMA}.runs`) return options.inBlocks?.runRow(moved) ?? moved;
  if (table === `${TRACES_SCHEMA}.payload_blocks`) return options.inBlocks?.blockRow(moved) ?? moved;
  return moved;
}

/** Changes the secret of sealed values, and converts the others. */
function moveValues(
  table: MovedTable,
  row: Row,
  options: { convert: typeof teamValue; changeSecret: ChangeSecret },
): Record<string, Value> {
  const moved: Record<string, Value> = {};
  for (const [column, value] of Object.entries(row)) {
    const associatedOf = SEALED_COLUMNS[table]?.[column];
    moved[column] =
      associatedOf !== undefined && value instanceof Uint8Array
        ? options.changeSecret(value, associatedOf(row))
        : options.convert(table, column, value);
  }
  return moved;
}

function teamValue(table: MovedTable, column: string, value: Value): Value {
  if (isSerialized(table, column))
    return value instanceof Uint8Array ? bytesAsText(new SerializedBytes(value)) : value;
  return typeof value === 'string' ? storableText(value) : value;
}

/**
 * The row of a data folder for a row of a team's database: the reverse of `teamRow`. Crons are disabled, because both
 * sides would otherwise start their runs.
 */
export function folderRow(
  table: MovedTable,
  row: Row,
  options: Pick<TeamRowOptions, 'agent' | 'changeSecret'>,
): Row {
  const { agent, changeSecret } = options;
  const moved = moveValues(table, row, { convert: folderValue, changeSecret });
  if (table === 'deployments' && agent !== undefined && row.config_path === agent.name)
    moved.config_path = agent.configPath;
  if (table === 'crons') {
    moved.enabled = 0;
    moved.next_run_date = null;
  }
  return moved;
}

function folderValue(table: MovedTable, column: string, value: Value): Value {
  if (typeof value !== 'string' || !isSerialized(table, column) || !standsForBytes(value)) return value;
  return Buffer.from(base64In(value), 'base64');
}

/** Whether a column has a serializer's text or bytes, which a team's database keeps as text. */
export function isSerialized(table: MovedTable, column: string): boolean {
  return column === 'data' && SERIALIZED.has(table);
}
