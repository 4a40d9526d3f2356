/**
 * Renders examples/platform/chart into kubernetes-small.yaml and kubernetes-company.yaml beside it, for those without
 * Helm: `node scripts/chart-manifests.ts [--check]`. This needs Helm on the PATH. With --check, it only says whether
 * they are up to date: their first line has the hash of what they were rendered from. The chart has a copy of
 * examples/team/alerts.yaml, because a chart reads no file outside its folder; updating the copy does not need Helm.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../examples/platform');
const isCheck = process.argv.includes('--check');
const rules = readFileSync(path.join(folder, '../team/alerts.yaml'), 'utf8');
const copy = path.join(folder, 'chart/alerts.yaml');
const isCopied = existsSync(copy) && readFileSync(copy, 'utf8') === rules;
if (!isCheck) writeFileSync(copy, rules);
else if (!isCopied) {
  console.error(`${copy} differs from that of examples/team: run \`node scripts/chart-manifests.ts\`.`);
  process.exitCode = 1;
}
const hash = createHash('sha256');
for (const file of globSync('chart/**/*.{yaml,tpl}', { cwd: folder }).toSorted())
  hash.update(readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n'));
const rendered = `# Rendered from chart ${hash.digest('hex').slice(0, 16)}`;

for (const size of ['small', 'company']) {
  const file = path.join(folder, `kubernetes-${size}.yaml`);
  if (isCheck) {
    if (readFileSync(file, 'utf8').startsWith(rendered)) continue;
    console.error(
      `${file} is not up to date: run \`node scripts/chart-manifests.ts\` on a machine with Helm.`,
    );
    process.exitCode = 1;
  } else {
    const args = ['template', 'harbor', 'chart', '--namespace', 'agents', '--kube-version', '1.32.0'];
    const text = execFileSync('helm', [...args, '--values', `chart/values-${size}.yaml`], {
      cwd: folder,
      encoding: 'utf8',
    });
    const use = `with values-${size}.yaml: change url, objects and image, then kubectl apply --filename`;
    writeFileSync(file, `${rendered} ${use}\n${text}`);
  }
}
