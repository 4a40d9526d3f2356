import { formatCount } from '../../../process/format-count.ts';
import { openFolderBox } from '../../control-plane/secrets/folder-key.ts';
import type { Objects } from '../objects/objects.ts';
import { openObjectsOf } from '../objects/open-objects.ts';
import { openSharedBox } from '../shared-box.ts';
import { compareRows, mapRows, mapRowsLater } from './compare-rows.ts';
import { MoveError } from './move-error.ts';
import type { MoveRequest } from './move-request.ts';
import type { Tell } from './move-to-team.ts';
import { compareBlobs, fetchBlobs, findBlobs } from './moved-blobs.ts';
import { describeFiles, fetchFiles, type MovedFiles } from './moved-files.ts';
import { folderRow, type NamedAgent } from './moved-row.ts';
import type { Row } from './row.ts';
import { inBatches } from './row-batches.ts';
import { type Boxes, decrypt, openSecrets, reencrypt, SEALED_COLUMNS } from './sealed-columns.ts';
import { SourceFolder } from './source-folder.ts';
import { refuseUsed, TargetFolder } from './target-folder.ts';
import { BLOBS, TeamDatabase } from './team-database.ts';
import {
  SIGN_INS,
  WORKSPACE_BLOBS,
  WORKSPACE_ROWS,
  WORKSPACE_TABLES,
  type WorkspaceTable,
} from './workspace-rows.ts';

/**
 * Moves a workspace of a team to a new data folder; the team keeps it. Everything is read from one snapshot, so an
 * interrupted move has to start again.
 * @param workspace its ID or name.
 * @throws MoveError, DataFolderError, ObjectsError, SecretBoxError
 */
export async function moveToFolder(request: MoveRequest, workspace: string, tell: Tell): Promise<void> {
  refuseUsed(request.dataDir);
  await using cleanup = new AsyncDisposableStack();
  const team = await TeamDatabase.connect(request.database);
  cleanup.defer(() => team.close());
  await team.freeze();
  const id = await team.findWorkspace(workspace);
  await refuseUnfinished(team, id);
  const files = await filesOf(team, id);
  const sealed = await countSealed(team, id);
  const blobs = { where: WORKSPACE_BLOBS, id };
  const inStore = await team.count(BLOBS, { where: `object is not null and ${WORKSPACE_BLOBS}`, id });
  checkGiven(request, {
    hasFiles: files.builds.length + files.uploads.length + inStore > 0,
    hasSecrets: sealed > 0,
  });
  const crons = await team.count('crons', { where: `enabled <> 0 and ${WORKSPACE_ROWS.crons}`, id });
  const signIns = await team.count(SIGN_INS.table, { where: SIGN_INS.where, id });
  if (request.isDryRun) {
    await describePlan(team, id, files, tell);
    tellOfCrons(crons, tell);
    tellOfSignIns(signIns, tell);
    tell('Nothing was stored: this was a dry run.');
    return;
  }
  const objects =
    request.objects === undefined
      ? undefined
      : await openObjectsOf(team.db, request.objects, request.storeEnvironment);
  const target = await TargetFolder.open(request.dataDir);
  cleanup.defer(() => target.close());
  const boxes =
    request.secretsKey === undefined
      ? undefined
      : { from: await openSharedBox(request.secretsKey, team.db), to: await openFolderBox(request.dataDir) };
  const { agent } = request;
  for (const table of WORKSPACE_TABLES) await copyTable(table, { team, target, id, boxes, agent, tell });
  target.continueKeys(await team.lastKeys());
  const lost = await fetchBlobs({ team, objects }, blobs, (name, bytes) => target.storeBlob(name, bytes));
  const missing = objects === undefined ? [] : await fetchFiles(request.dataDir, files, objects);
  await target.indexWords();
  const rows = await compare({ team, objects, target, id, boxes, agent });
  target.finish();
  tell(
    `Moved: ${formatCount(rows, 'row')} in ${WORKSPACE_TABLES.length} tables. Their numbers and hashes are the same on both sides. The team still has the workspace.`,
  );
  tellOfCrons(crons, tell);
  tellOfSignIns(signIns, tell);
  if (lost > 0) tell(`Not in the object store any more: ${formatCount(lost, 'large payload')} of traces.`);
  for (const { deploymentId } of missing)
    tell(`A build of deployment ${deploymentId} does not run on this machine: deploy it again.`);
}

async function describePlan(team: TeamDatabase, id: string, files: MovedFiles, tell: Tell): Promise<void> {
  for (const table of WORKSPACE_TABLES) {
    const rows = await team.count(table, { where: WORKSPACE_ROWS[table], id });
    if (rows > 0) tell(`${table}: ${formatCount(rows, 'row')}`);
  }
  tell(describeFiles(files));
}

/** Copies the workspace's rows of a table, with their secrets encrypted for the folder. */
async function copyTable(
  table: WorkspaceTable,
  work: {
    readonly team: TeamDatabase;
    readonly target: TargetFolder;
    /** The ID of the workspace. */
    readonly id: string;
    readonly boxes: Boxes | undefined;
    readonly agent: NamedAgent | undefined;
    readonly tell: Tell;
  },
): Promise<void> {
  const { team, target, id, boxes, agent, tell } = work;
  const columns = target.columns(table);
  let stored = 0;
  for await (const rows of inBatches(team.rows(table, columns, { where: WORKSPACE_ROWS[table], id }))) {
    target.store(
      table,
      rows.map((row) => folderRow(table, row, { agent, changeSecret: reencrypt(boxes) })),
      columns,
    );
    stored += rows.length;
    tell(`${table}: ${formatCount(stored, 'row')}`);
  }
}

function tellOfCrons(crons: number, tell: Tell): void {
  if (crons > 0)
    tell(
      `The team keeps ${formatCount(crons, 'enabled cron')}, so crons are disabled in the folder. To run them in the folder, disable them in the team and enable them there (agent-harbor crons enable).`,
    );
}

function tellOfSignIns(signIns: number, tell: Tell): void {
  if (signIns > 0)
    tell(
      `The team keeps ${formatCount(signIns, 'sign-in')} with providers, because a sign-in that both sides renew ends on one of them. Users of the folder sign in again when an agent asks them to.`,
    );
}

/**
 * Compares what was stored with the team's data.
 * @returns how many rows there are.
 * @throws MoveError when they differ.
 */
async function compare(sides: {
  readonly team: TeamDatabase;
  readonly objects: Objects | undefined;
  readonly target: TargetFolder;
  readonly id: string;
  readonly boxes: Boxes | undefined;
  readonly agent: NamedAgent | undefined;
}): Promise<number> {
  const { team, objects, target, id, boxes, agent } = sides;
  const written = await SourceFolder.open(target.unfinished);
  try {
    let rows = 0;
    for (const table of WORKSPACE_TABLES) {
      const columns = written.columns(table);
      const opened = (row: Row) => folderRow(table, row, { agent, changeSecret: decrypt(boxes?.from) });
      rows += await compareRows(table, columns, {
        folder: mapRows(written.rows(table), (row) => openSecrets(table, row, boxes?.to)),
        database: mapRowsLater(team.rows(table, columns, { where: WORKSPACE_ROWS[table], id }), opened),
      });
    }
    await compareBlobs(findBlobs(written), { team, objects }, { where: WORKSPACE_BLOBS, id });
    return rows;
  } finally {
    written.close();
  }
}

/** Refuses a workspace with unfinished runs, which both sides would continue. @throws MoveError */
async function refuseUnfinished(team: TeamDatabase, id: string): Promise<void> {
  const where = `status in ('pending', 'running') and ${WORKSPACE_ROWS.runs}`;
  const unfinished = await team.count('runs', { where, id });
  if (unfinished > 0)
    throw new MoveError(
      `The workspace has ${formatCount(unfinished, 'unfinished run')}, which would continue both in the team and in the folder. Wait until none is left, or cancel them.`,
    );
}

/** Lists the builds and uploads that rows of the workspace refer to. */
async function filesOf(team: TeamDatabase, id: string): Promise<MovedFiles> {
  const builds = new Map<string, MovedFiles['builds'][number]>();
  const revisions = [column('id', 1), column('deployment_id'), column('build_key')];
  for await (const row of team.rows('revisions', revisions, { where: WORKSPACE_ROWS.revisions, id })) {
    const build = { deploymentId: String(row.deployment_id), key: String(row.build_key) };
    if (row.build_key !== null) builds.set(`${build.deploymentId} ${build.key}`, build);
  }
  const uploads = [];
  const uploaded = { where: `uploaded_at is not null and ${WORKSPACE_ROWS.uploads}`, id };
  for await (const row of team.rows('uploads', [column('id', 1), column('deployment_id')], uploaded))
    uploads.push({ deploymentId: String(row.deployment_id), id: String(row.id) });
  return { builds: [...builds.values()], uploads };
}

/** Counts the encrypted values of the workspace. */
async function countSealed(team: TeamDatabase, id: string): Promise<number> {
  let sealed = 0;
  for (const table of WORKSPACE_TABLES)
    for (const name of Object.keys(SEALED_COLUMNS[table] ?? {}))
      sealed += await team.count(table, {
        where: `"${name}" is not null and (${WORKSPACE_ROWS[table]})`,
        id,
      });
  return sealed;
}

/** @throws MoveError when a key or an object store is needed that was not given. */
function checkGiven(
  { objects, secretsKey }: MoveRequest,
  { hasFiles, hasSecrets }: { readonly hasFiles: boolean; readonly hasSecrets: boolean },
): void {
  if (objects === undefined && hasFiles)
    throw new MoveError(
      'The workspace has deployments or large payloads of traces in the object store. Pass --objects with the place where the servers of the team keep them.',
    );
  if (secretsKey === undefined && hasSecrets)
    throw new MoveError(
      'The workspace has secrets. Set AGENT_HARBOR_SECRETS_KEY to the key that the servers of the team encrypt theirs with.',
    );
}

function column(name: string, keyPlace = 0): { name: string; keyPlace: number } {
  return { name, keyPlace };
}
