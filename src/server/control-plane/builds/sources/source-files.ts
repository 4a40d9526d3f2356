import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { list, type ReadEntry } from 'tar';
import { z } from 'zod';
import type { RevisionFile, RevisionFiles } from '../../../../contract/control-plane/revision-files.ts';
import { ignoreRejection } from '../../../../process/settled.ts';
import { isSecretFile } from '../../../../project/secret-files.ts';
import { isToolOutput } from '../../../../project/tool-output.ts';
import { openUncompressed } from './tarball-source.ts';

const MAX_FILES = 10_000;
/** The maximum size of a text; larger ones are only hashed. */
const MAX_TEXT_BYTES = 512 * 1024;
/** The maximum size of all texts together. */
const MAX_TEXTS_BYTES = 8 * 1024 ** 2;
/** The maximum unpacked size; further files are left out. */
const MAX_READ_BYTES = 128 * 1024 ** 2;

/** The values in langgraph.json that are paths of files with secrets. */
const NamesSecrets = z.object({
  env: z.string().optional().catch(undefined),
  pip_config_file: z.string().optional().catch(undefined),
});

/** The content of a file, or why it is left out. */
type Content = Omit<RevisionFile, 'path'>;

/**
 * Reads the files of a packed source. The text is left out for files that contain secrets, are not text, or are too large.
 * @param configPath the path of the source's langgraph.json, which may name further files with secrets.
 * @throws Error when the tarball cannot be read; the signal's reason when aborted.
 */
export async function readSourceFiles(
  tarball: string,
  configPath: string,
  signal: AbortSignal,
): Promise<RevisionFiles> {
  const found = new SourceFiles();
  const parser = list({ onReadEntry: (entry) => found.take(entry) });
  const ended = new Promise<void>((resolve, reject) => {
    parser.once('end', resolve);
    parser.once('error', reject);
  });
  ignoreRejection(ended);
  let read = 0;
  for await (const chunk of await openUncompressed(tarball)) {
    signal.throwIfAborted();
    read += chunk.length;
    if (read > MAX_READ_BYTES) found.isComplete = false;
    if (!found.isComplete) break;
    if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), ended]);
  }
  if (found.isComplete) {
    parser.end();
    await ended;
  }
  for (const name of namedSecrets(found.contents, configPath)) found.hide(name);
  return {
    files: [...found.contents]
      .map(([name, content]) => ({ path: name, ...content }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    is_complete: found.isComplete,
  };
}

/** Collects the files of a tarball, entry by entry. */
class SourceFiles {
  /** The contents of files by path. The hard links of a file have the same object. */
  readonly contents = new Map<string, Content>();
  /** False once a file has been left out because of a limit. */
  isComplete = true;
  #textBytes = 0;

  /** Adds an entry of the tarball: its text, or why the text is left out. Every entry is read to its end. */
  take(entry: ReadEntry): void {
    const name = pathBelow(entry.path);
    if (name === undefined || entry.type === 'Directory') entry.resume();
    else if (this.contents.size >= MAX_FILES && !this.contents.has(name)) {
      this.isComplete = false;
      entry.resume();
    } else if (entry.type === 'Link') {
      // A link to a file that is not listed, such as one that a tool has written, is not listed either.
      const same = this.contents.get(pathBelow(entry.linkpath ?? '') ?? '');
      if (same !== undefined) this.contents.set(name, same);
      if (isSecretFile(name)) this.hide(name);
      entry.resume();
    } else if (isSecretFile(name)) {
      this.contents.set(name, { size_bytes: entry.size, left_out: 'secret' });
      entry.resume();
    } else if (entry.type === 'SymbolicLink') {
      this.#add(name, Buffer.from(entry.linkpath ?? ''));
      entry.resume();
    } else {
      this.#read(name, entry);
    }
  }

  /** Leaves out the text of a file with secrets, at all of its hard links. */
  hide(name: string): void {
    const content = this.contents.get(name);
    if (content === undefined) return;
    const hidden: Content = { size_bytes: content.size_bytes, left_out: 'secret' };
    for (const [other, same] of this.contents) if (same === content) this.contents.set(other, hidden);
  }

  #read(name: string, entry: ReadEntry): void {
    const isLarge = entry.size > MAX_TEXT_BYTES || this.#textBytes + entry.size > MAX_TEXTS_BYTES;
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    entry.on('data', (chunk) => {
      hash.update(chunk);
      if (!isLarge) kept.push(chunk);
    });
    entry.on('end', () => {
      if (isLarge) {
        const sha256 = hash.digest('hex');
        this.contents.set(name, { size_bytes: entry.size, left_out: 'large', sha256 });
      } else this.#add(name, Buffer.concat(kept));
    });
  }

  #add(name: string, content: Buffer): void {
    const isText = isUtf8(content) && !content.includes(0);
    if (isText) this.#textBytes += content.length;
    this.contents.set(name, {
      size_bytes: content.length,
      ...(isText ? { text: content.toString('utf8') } : { left_out: 'binary' }),
      sha256: createHash('sha256').update(content).digest('hex'),
    });
  }
}

/** The path of an entry in the source; undefined for the top itself, for paths outside, and for the output of tools. */
function pathBelow(entry: string): string | undefined {
  const name = path.posix.normalize(entry);
  const parts = name.split('/');
  const leaves = path.posix.isAbsolute(name) || parts[0] === '..' || name.includes('\\');
  return leaves || name === '.' || isToolOutput(name) ? undefined : name;
}

/** The paths of files with secrets that the source's langgraph.json files name. */
function namedSecrets(contents: ReadonlyMap<string, Content>, configPath: string): string[] {
  return [...contents].flatMap(([config, { text }]) => {
    if (text === undefined || (config !== configPath && path.posix.basename(config) !== 'langgraph.json'))
      return [];
    const folder = path.posix.dirname(config);
    return secretsNamedIn(text).map((named) => path.posix.join(folder, named.replaceAll('\\', '/')));
  });
}

/** The paths of files with secrets that the text of a langgraph.json names; none if the text is not valid. */
function secretsNamedIn(config: string): string[] {
  try {
    const { env, pip_config_file } = NamesSecrets.parse(JSON.parse(config));
    return [env, pip_config_file].filter((name) => name !== undefined);
  } catch {
    return [];
  }
}
