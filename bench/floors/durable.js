// The cost of storing a run, and little else: the graphs in a separate process, and each checkpoint, write and event in
// SQLite before it is sent, with the settings of this project's own database.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { event, serve } from './serve.js';

const [port, project, data] = process.argv.slice(2);
const database = new DatabaseSync(path.join(data, 'floor.db'));
database.exec(`
  PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16000;
  CREATE TABLE threads (thread_id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE runs (run_id TEXT PRIMARY KEY, thread_id TEXT, input TEXT, status TEXT) WITHOUT ROWID;
  CREATE TABLE kept (run_id TEXT, seq INTEGER, content TEXT, PRIMARY KEY (run_id, seq)) WITHOUT ROWID;
`);
const insertThread = database.prepare('INSERT INTO threads VALUES (?)');
const insertRun = database.prepare("INSERT INTO runs VALUES (?, ?, ?, 'running')");
const endRun = database.prepare("UPDATE runs SET status = 'success' WHERE run_id = ?");
const keep = database.prepare('INSERT INTO kept VALUES (?, ?, ?)');

const graphs = spawn(process.execPath, [path.join(import.meta.dirname, 'durable-graphs.js'), project], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
graphs.once('exit', (code) => process.exit(code ?? 1));
const running = new Map();
let received = [];

/** Stores everything that arrived together in one transaction, and then sends what has to be sent. */
function store() {
  const lines = received.map((line) => JSON.parse(line));
  received = [];
  database.exec('BEGIN IMMEDIATE');
  for (const { runId, kept, ended } of lines) {
    if (ended) endRun.run(runId);
    else keep.run(runId, running.get(runId).seq++, kept);
  }
  database.exec('COMMIT');
  for (const { runId, kept, sent, ended } of lines) {
    if (sent) running.get(runId).response.write(kept);
    if (ended) {
      running.get(runId).end();
      running.delete(runId);
    }
  }
}

createInterface(graphs.stdout).on('line', (line) => {
  if (line === '') return;
  if (received.push(line) === 1) setImmediate(store);
});
graphs.stdout.once('data', () =>
  serve(Number(port), {
    createThread: () => {
      const threadId = randomUUID();
      insertThread.run(threadId);
      return threadId;
    },
    streamRun: (threadId, body, response) =>
      new Promise((end) => {
        const runId = randomUUID();
        running.set(runId, { response, end, seq: 1 });
        const first = event('metadata', { run_id: runId });
        database.exec('BEGIN IMMEDIATE');
        insertRun.run(runId, threadId, JSON.stringify(body));
        keep.run(runId, 0, first);
        database.exec('COMMIT');
        graphs.stdin.write(`${JSON.stringify({ runId, threadId, ...body })}\n`);
        response.write(first);
      }),
  }),
);
