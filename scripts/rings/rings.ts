import { globSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** The variable that makes suites run on every release line of LangGraph instead of only the oldest and the newest. */
export const ALL_LINES = 'AGENT_HARBOR_TEST_ALL_LINES';

const bin = (name: string) =>
  path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

/**
 * The files that `npm test` leaves to `npm run test:all`, so that it also ends in time on a machine half as
 * fast as an idle one with two cores, on which it took 30 minutes: fault campaigns, which repeat what single
 * tests prove, files that take minutes to measure memory or to move databases, and tests of the test support.
 */
export const LONG: readonly string[] = [
  'test/faults/{control-plane,full-disk,killed-installations,otlp,polite-stops,purge-rounds,python,run-traces,tracing}.test.ts',
  'test/faults/team-*.test.ts',
  'test/runtime/node/memory.test.ts',
  'test/runtime/node/streams/bursts.test.ts',
  'test/server/team/moving/moved-traces.test.ts',
  'test/server/runtimes/**/{blocking-calls,python-versions}.test.ts',
  'test/conformance/{langgraph-cli,streamed-text}.test.ts',
  'test/e2e/{image,workbench-support,extension-host-support}.test.ts',
];

/** Commands that pass or fail as a whole; each counts as one test. */
export interface ChecksRing {
  readonly name: string;
  readonly kind: 'checks';
  readonly commands: Readonly<Record<string, readonly string[]>>;
}

export interface MochaRing {
  readonly name: string;
  readonly kind: 'mocha';
  readonly files: string | readonly string[];
  readonly args?: readonly string[];
  /** How often a failed test is retried at once; not at all by default. */
  readonly retries?: number;
  /** Whether each file gets its own process. Otherwise a process gets a few minutes' worth of files. */
  readonly isFileAlone?: boolean;
  /** Whether the whole ring is left to `npm run test:all`. */
  readonly isLong?: boolean;
  /** How many of its processes may run at once; as many as there are lanes by default. */
  readonly atOnce?: number;
}

/** A ring with its own runner, which prints the closing line itself. */
export interface RunnerRing {
  readonly name: string;
  readonly kind: 'runner';
  readonly command: readonly string[];
}

export type Ring = ChecksRing | MochaRing | RunnerRing;

/** Files that need PostgreSQL; they form a separate ring, wherever they are. */
export const TEAM: readonly string[] = [
  'test/{cli,faults,examples}/team*.test.ts',
  'test/server/team-image.test.ts',
  'test/server/storage/dialect-expressions.test.ts',
  'test/server/team/postgres/**/*.test.ts',
  'test/server/**/shared-*.test.ts',
  'test/server/agent-server/runs/run-scheduler.test.ts',
  'test/server/http/change-feed.test.ts',
  'test/conformance/*-on-postgres.test.ts',
];

export const RINGS: readonly Ring[] = [
  {
    name: 'e2e',
    kind: 'mocha',
    files: 'test/e2e/**/*.test.ts',
    args: ['--timeout', '180000'],
    retries: 2,
    isFileAlone: true,
    // A window keeps a processor busy, where other tests mostly wait.
    atOnce: 2,
  },
  {
    name: 'server',
    kind: 'mocha',
    files: 'test/{server,cli}/**/*.test.ts',
    args: ['--timeout', '120000'],
  },
  { name: 'team', kind: 'mocha', files: TEAM, args: ['--timeout', '300000'] },
  {
    name: 'static',
    kind: 'checks',
    commands: {
      'types of Node code': [bin('tsc'), '-p', 'tsconfig.json'],
      'types of webviews': [bin('tsc'), '-p', 'src/webviews/tsconfig.json'],
      'format, lint and import rules': [bin('biome'), 'check', '.'],
      'protocol types are up to date': [process.execPath, 'scripts/generate-protocol.ts', '--check'],
      'the structure of state.db is up to date': [
        process.execPath,
        'scripts/generate-structure.ts',
        '--check',
      ],
      'the import rules of the linter and CONTRIBUTING are up to date': [
        process.execPath,
        'scripts/layers.ts',
        '--check',
      ],
      'folders of src import only from lower floors': [process.execPath, 'scripts/structure.ts', '--check'],
      'comments begin with their subject': [process.execPath, 'scripts/comments.ts'],
      'strings are collected for translation': [process.execPath, 'scripts/l10n.ts', '--check'],
      'the rights in SECURITY.md are up to date': [process.execPath, 'scripts/rights-table.ts', '--check'],
      'data of recorded senders arrives, as documented': [
        process.execPath,
        'scripts/senders-table.ts',
        '--check',
      ],
      'every command and option is documented': [process.execPath, 'scripts/cli-reference.ts', '--check'],
      'every option of the server is documented': [
        process.execPath,
        'scripts/server-reference.ts',
        '--check',
      ],
      'the manifests of a platform are up to date': [
        process.execPath,
        'scripts/chart-manifests.ts',
        '--check',
      ],
    },
  },
  {
    name: 'unit',
    kind: 'mocha',
    args: ['--timeout', '60000'],
    files:
      'test/{architecture,bench,client,coding-agents,containers,contract,deploy,evaluation,example-files,experiments,extension,images,language-server,launcher,process,project,proofs,purge,replay,run-files,scripts,support,terms,trace-files,webviews}/**/*.test.ts',
  },
  {
    name: 'runtime',
    kind: 'mocha',
    files: 'test/{runtime,examples}/**/*.test.ts',
    args: ['--timeout', '180000'],
  },
  {
    name: 'conformance',
    kind: 'mocha',
    files: 'test/conformance/**/*.test.ts',
    args: ['--timeout', '120000'],
  },
  {
    // The tracing suites again, with the other database.
    name: 'team-traces',
    kind: 'mocha',
    isLong: true,
    files: ['test/server/{tracing,purging}/*.test.ts', 'test/server/tracing/runs/attempts.test.ts'],
    args: ['--require', './test/support/on-postgres.ts', '--timeout', '300000'],
  },
  { name: 'faults', kind: 'mocha', files: 'test/faults/**/*.test.ts', args: ['--timeout', '300000'] },
  { name: 'vscode', kind: 'runner', command: [process.execPath, 'test/vscode/run.ts'] },
];

/**
 * The test files of a ring, sorted by name. @param withLong whether to include those that `npm test` leaves to `npm run
 * test:all`.
 */
export function filesOf({ name, files, isLong = false }: MochaRing, withLong: boolean): string[] {
  if (isLong && !withLong) return [];
  const others = name === 'team' ? [] : TEAM;
  return globSync(files, { cwd: root, exclude: withLong ? others : [...others, ...LONG] })
    .map((file) => file.replaceAll(path.sep, '/'))
    .toSorted();
}
