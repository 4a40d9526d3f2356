import path from 'node:path';
import { cacheFolder } from './cache.ts';

/**
 * Required by mocha. Many tests start servers and runtimes without the launcher, which makes them keep
 * compiled code, because compiling takes a large part of each start. This makes them keep it beside the other
 * tools for tests.
 */
process.env.NODE_COMPILE_CACHE ??= path.join(cacheFolder(), 'compiled');
