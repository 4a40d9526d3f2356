import v8 from 'node:v8';

/**
 * Keeps a command that mostly waits in the foreground small: what V8 compiles for speed, above all the WebAssembly that
 * reads HTTP, would be 20 MB for as long as it waits. Call it before the HTTP client is loaded.
 */
export function staySmall(): void {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--no-maglev', '--no-opt'])
    v8.setFlagsFromString(flag);
}
