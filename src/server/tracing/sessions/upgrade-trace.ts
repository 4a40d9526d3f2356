import { parseStored } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { DAY_MICROS } from '../database/time.ts';
import { retentionOf, retentionSetting } from './retention.ts';

/**
 * Moves a trace to extended retention, because feedback or a rule requires it. Does nothing for a trace that
 * already has it, or is not stored. Blobs are moved too, because the name of a blob contains the retention.
 */
export function upgradeTrace(context: WriterContext, workspace: number, traceId: string): void {
  const { db } = context;
  const trace = db.get(
    db.build.selectFrom('traces').selectAll().where('id', '=', traceId).where('workspace', '=', workspace),
  );
  if (trace === undefined || trace.tier === 'longlived') return;
  const [[setting]] = db.allOf([retentionSetting(workspace)]);
  const { days } = retentionOf(setting, 'longlived');
  db.run(
    db.build
      .updateTable('traces')
      .set({
        tier: 'longlived',
        ttl_days: days,
        upgraded: 1,
        expires_at: trace.first_received_at + days * DAY_MICROS,
      })
      .where('key', '=', trace.key),
  );
  moveBlobs(context, trace.key, days);
}

/** Moves the blobs of a trace to another retention, and changes the rows that refer to them. */
function moveBlobs({ db, blobs }: WriterContext, trace: number, days: number): void {
  const runs = db.all(
    db.build
      .selectFrom('runs')
      .select(['key', 'payloads'])
      .where('trace', '=', trace)
      .where('payloads', 'like', '%"blob"%'),
  );
  for (const run of runs) {
    const places = parseStored(run.payloads);
    const moved = Object.fromEntries(
      Object.entries(places).map(([kind, place]) => [
        kind,
        'blob' in place ? { ...place, blob: blobs.move(place.blob, days) } : place,
      ]),
    );
    db.run(
      db.build
        .updateTable('runs')
        .set({ payloads: JSON.stringify(moved) })
        .where('key', '=', run.key),
    );
  }
  const attachments = db.all(
    db.build.selectFrom('attachments').selectAll().where('trace', '=', trace).where('blob', 'is not', null),
  );
  for (const { run, name, blob } of attachments) {
    if (blob === null) continue;
    db.run(
      db.build
        .updateTable('attachments')
        .set({ blob: blobs.move(blob, days) })
        .where('run', '=', run)
        .where('name', '=', name),
    );
  }
}
