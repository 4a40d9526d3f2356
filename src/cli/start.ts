#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { compileCacheDir } from '../launcher/compile-cache.ts';

// Before the program itself is read, which is most of what starting it takes.
enableCompileCache(compileCacheDir());
await import('./main.ts');
