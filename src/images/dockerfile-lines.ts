/** A line of a Dockerfile, and the key of langgraph.json that it comes from. */
export interface DockerfileLine {
  readonly text: string;
  readonly origin?: string;
}

/** Lines after an empty line and a comment that explains them. */
export function block(comment: string, ...lines: readonly string[]): DockerfileLine[] {
  if (lines.length === 0) return [];
  return [{ text: '' }, { text: `# ${comment}` }, ...lines.map((text) => ({ text }))];
}

/** `COPY` instructions for files, each into the folder that it is in: one instruction per folder. */
export function copyFiles(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => (file.includes('/') ? file.replace(/[^/]*$/, '') : './'));
  return [...folders].map(([folder, inFolder]) => copy(inFolder, folder));
}

/** A `COPY` instruction in the form that allows any file name. */
export function copy(sources: readonly string[], target: string, options = ''): string {
  return `COPY ${options}${options === '' ? '' : ' '}${JSON.stringify([...sources, target])}`;
}

/** An instruction that runs a command in a folder of the project, with mounts. */
export function runIn(dir: string, mounts: readonly string[], command: string): string {
  const place = dir === '.' ? '' : `cd ${quoted(dir)} && `;
  return ['RUN', ...mounts.map((mount) => `--mount=${mount}`), `${place}${command}`].join(' ');
}

/** Quotes a word for a shell's command line. */
export function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
