import path from 'node:path';
import { createPathsMatcher, findTsconfig, getTsconfig } from 'get-tsconfig';
import type { CompilerOptions } from './typescript-compiler.ts';

/** The settings from the nearest tsconfig.json for running a file. */
export interface NearestConfig {
  /** The path of the tsconfig.json; undefined if there is none that can be used. */
  readonly file: string | undefined;
  /** Why the file is ignored, in words for the log; undefined if it is used or does not exist. */
  readonly problem: string | undefined;
  readonly options: CompilerOptions;
  /** The `paths` of the aliases, such as `@/*`. */
  readonly aliases: readonly string[];
  /** Paths without extensions that an import may refer to because of `paths` and `baseUrl`, best first. */
  places(specifier: string): readonly string[];
}

const NONE: NearestConfig = {
  file: undefined,
  problem: undefined,
  options: {},
  aliases: [],
  places: () => [],
};

// These caches never go stale, because a process that has loaded graphs is replaced when files change.
/** The settings by folder. */
const configs = new Map<string, NearestConfig>();
/** Files that `get-tsconfig` has read. */
const readFiles = new Map<string, unknown>();

/** The nearest tsconfig.json around a file, combined with those that it extends. */
export function nearestConfig(file: string): NearestConfig {
  const folder = path.dirname(file);
  let config = configs.get(folder);
  if (config === undefined) {
    config = readNearest(folder);
    configs.set(folder, config);
  }
  return config;
}

function readNearest(folder: string): NearestConfig {
  try {
    const tsconfig = getTsconfig(folder, 'tsconfig.json', readFiles);
    if (tsconfig === null) return NONE;
    const match = createPathsMatcher(tsconfig);
    const { compilerOptions = {} } = tsconfig.config;
    return {
      // The path has forward slashes even on Windows.
      file: path.normalize(tsconfig.path),
      problem: undefined,
      options: compilerOptions,
      aliases: Object.keys(compilerOptions.paths ?? {}),
      places: (specifier) => match?.(specifier) ?? [],
    };
  } catch (error) {
    // For example, the file extends itself, or a configuration that is not installed.
    return { ...NONE, problem: problemOf(folder, error) };
  }
}

function problemOf(folder: string, error: unknown): string {
  const file = path.normalize(findTsconfig(folder, 'tsconfig.json', readFiles) ?? folder);
  return `${file} is ignored. Reason: ${error instanceof Error ? error.message : String(error)}`;
}

/** The alias that matches a package's name in Node's errors. An alias `*` is skipped, because it matches every name. */
export function aliasOf({ aliases }: NearestConfig, name: string): string | undefined {
  return aliases.find((alias) => {
    const [prefix = ''] = alias.split('*', 1);
    return (
      prefix !== '' && (name === prefix || `${name}/`.startsWith(prefix) || prefix.startsWith(`${name}/`))
    );
  });
}
