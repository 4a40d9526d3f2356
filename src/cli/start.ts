#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { compileCacheDir } from '../launcher/compile-cache.ts';

// Before the program itself is read, which is most of what starting it takes. Node 20 has no such cache.
if ('enableCompileCache' in nodeModule) nodeModule.enableCompileCache(compileCacheDir());
await import('./main.ts');
