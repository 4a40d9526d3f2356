import { compileCacheDir } from '../../src/launcher/compile-cache.ts';

/**
 * Required by mocha. Many tests start servers and runtimes without the launcher, which has them keep compiled code; so
 * they keep it in the same place here, as compiling takes a good part of each start.
 */
process.env.NODE_COMPILE_CACHE ??= compileCacheDir();
