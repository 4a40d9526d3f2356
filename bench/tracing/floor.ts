import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** Tables in which a span, or a request with spans, creates rows. */
const TABLES = ['traces', 'runs', 'payload_blocks', 'labels', 'run_labels'];
const ROWS_AT_ONCE = 1000;

/**
 * The floor for ingestion: the same rows that a server has stored, inserted with `node:sqlite` into an empty database
 * with the same schema and settings, with prepared statements and 1,000 rows per transaction. The full-text index is
 * left out on both sides of the comparison: it is updated after the acknowledgement.
 *
 * @param dataDir the data folder of a stopped server.
 * @returns spans per second, and microseconds of CPU time per span, which other load affects less.
 */
export function floorOf(dataDir: string): { rate: number; cpuMicros: number } {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-floor-'));
  try {
    for (const file of readdirSync(dataDir).filter((name) => name.startsWith('traces.db')))
      cpSync(path.join(dataDir, file), path.join(folder, file));
    const source = new DatabaseSync(path.join(folder, 'traces.db'));
    const tables = TABLES.map((name) => ({ name, rows: source.prepare(`SELECT * FROM ${name}`).all() }));
    for (const { name } of [...tables].reverse()) source.exec(`DELETE FROM ${name}`);
    source.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -64000; PRAGMA secure_delete = ON; VACUUM',
    );
    const began = performance.now();
    const cpu = process.cpuUsage();
    let spans = 0;
    for (const { name, rows } of tables) {
      const [first] = rows;
      if (first === undefined) continue;
      const columns = Object.keys(first);
      const insert = source.prepare(
        `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        source.exec('BEGIN');
        for (const row of rows.slice(at, at + ROWS_AT_ONCE)) {
          insert.run(...columns.map((column) => row[column] as SQLInputValue));
        }
        source.exec('COMMIT');
      }
      if (name === 'runs') spans = rows.length;
    }
    const rate = spans / ((performance.now() - began) / 1000);
    const { user, system } = process.cpuUsage(cpu);
    source.close();
    return { rate, cpuMicros: (user + system) / spans };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
