import v8 from 'node:v8';

/**
 * Saves memory in a command that mostly waits: code that V8 optimizes, above all the WebAssembly that reads HTTP,
 * would take 20 MB as long as it waits. Call it before the HTTP client is loaded.
 */
export function saveMemory(): void {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--no-maglev', '--no-opt'])
    v8.setFlagsFromString(flag);
}
