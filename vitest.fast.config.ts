import { defineConfig } from 'vitest/config'

/** `npm run test:fast`: tests that start no store, server or process. */
export default defineConfig({
  resolve: { alias: { '@causeway/client': new URL('packages/client/src/client.ts', import.meta.url).pathname } },
  test: {
    include: ['test/**/*.unit.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    // Transformed files stay in node_modules, by their content: 30 s of CPU instead of 39 s.
    experimental: { fsModuleCache: true },
  },
})
