import { mkdir, writeFile } from 'node:fs/promises';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { isRate, type Row, type RowTarget, type Unit } from './row.ts';
import { type SubjectName, subjectNames } from './subject.ts';

export interface Results {
  readonly rows: readonly Row[];
  /** Why a subject could not be measured at all. */
  readonly leftOut: ReadonlyMap<SubjectName, string>;
}

/** Medians side by side and as ratios. Compare the ratios: noise of the machine affects all subjects. */
export function ratioTable(rows: readonly Row[]): string {
  const measured = subjectNames.filter((name) => rows.some((row) => row.summary(name)));
  const withBefore = measured.includes('before');
  const head = [
    '',
    ...measured,
    ...(withBefore ? ['ours ÷ before'] : []),
    'ours ÷ floor-graph',
    'ours-traced ÷ floor-graph',
    'peer ÷ floor-graph',
    'ours beside the peer',
    'target',
    '',
  ];
  const lines = rows.map((row) => [
    `${row.spec.title}, ${row.spec.unit}`,
    ...measured.map((name) => number(row.summary(name)?.p50)),
    ...(withBefore ? [times(row.ratio('ours', 'before'))] : []),
    times(row.ratio('ours', 'floor-graph')),
    times(row.ratio('ours-traced', 'floor-graph')),
    times(row.ratio('peer', 'floor-graph')),
    comparison(row),
    row.spec.target ? targetText(row.spec.target, row.spec.unit) : '',
    verdict(row),
  ]);
  return markdownTable([head, ...lines], {
    align: head.map((name) => (name === '' || name === 'target' ? 'l' : 'r')),
  });
}

/** The spread of each subject's samples. */
export function spreadTable(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) =>
    subjectNames.flatMap((name) => {
      const summary = row.summary(name);
      if (!summary) return [];
      const { min, p50, mean, p99, max, n } = summary;
      const values = [min, p50, mean, p99, max].map((value) => number(value));
      return [[`${row.spec.title}, ${row.spec.unit}`, name, ...values, String(n)]];
    }),
  );
  const head = ['', 'subject', 'min', 'p50', 'mean', 'p99', 'max', 'n'];
  return markdownTable([head, ...lines], { align: ['l', 'l', 'r', 'r', 'r', 'r', 'r', 'r'] });
}

/** The machine in one line, for later readers of the numbers. */
export function machine(): string {
  const processors = cpus();
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  return `${processors.length} × ${model}, ${memory}, ${platform()} ${release()} ${arch()}, Node ${process.versions.node}`;
}

/** Writes everything that was measured as JSON, for comparing one day with another. */
export async function writeResults(file: string, { rows, leftOut }: Results): Promise<void> {
  const results = {
    date: new Date().toISOString(),
    machine: machine(),
    left_out: Object.fromEntries(leftOut),
    rows: rows.map((row) => ({
      ...row.spec,
      target_met: row.isTargetMet() ?? null,
      subjects: Object.fromEntries(
        subjectNames.flatMap((name) => {
          const summary = row.summary(name);
          return summary ? [[name, summary]] : [];
        }),
      ),
    })),
  };
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}

function number(value: number | undefined): string {
  if (value === undefined) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function times(ratio: number | undefined): string {
  return ratio === undefined ? '–' : `${number(ratio)} ×`;
}

function comparison(row: Row): string {
  const ratio = isRate(row.spec.unit) ? row.ratio('ours', 'peer') : row.ratio('peer', 'ours');
  if (ratio === undefined) return '–';
  const [factor, word] = ratio >= 1 ? [ratio, 'better'] : [1 / ratio, 'worse'];
  return `${number(factor)} × ${word}`;
}

function targetText({ bound, value, times: of }: RowTarget, unit: Unit): string {
  const sign = bound === 'at most' ? '≤' : '≥';
  return of ? `${sign} ${value} × ${of}` : `${sign} ${value} ${unit}`;
}

function verdict(row: Row): string {
  const isMet = row.isTargetMet();
  return isMet === undefined ? '' : isMet ? 'met' : 'missed';
}
