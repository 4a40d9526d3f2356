import v8 from 'node:v8';

/**
 * Turns off code optimization, to save memory in commands that mostly wait. Optimized code, above all that of the
 * WebAssembly that parses HTTP, would take 20 MB. Call this before the HTTP client is loaded.
 */
export function saveMemory(): void {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--no-maglev', '--no-opt'])
    v8.setFlagsFromString(flag);
}
