import path from 'node:path';
import { cacheFolder } from './cache.ts';

/**
 * Required by mocha. Many tests start servers and runtimes without the launcher, which has them keep compiled code, as
 * compiling takes a good part of each start. This has them keep it beside the other tools for tests.
 */
process.env.NODE_COMPILE_CACHE ??= path.join(cacheFolder(), 'compiled');
