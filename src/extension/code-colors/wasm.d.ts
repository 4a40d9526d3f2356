/** The bytes of a WebAssembly module, which the bundler inlines. */
declare module '*.wasm' {
  const bytes: Uint8Array<ArrayBuffer>;
  export = bytes;
}
