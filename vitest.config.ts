import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/support/processes/stores-of-run.ts', 'test/support/processes/bundled-programs.ts'],
    include: ['test/**/*.test.ts'],
    // Real servers and browsers answer slowly on a busy machine; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Most of a test's time is spent waiting for a server or a lease: two workers on two cores leave a quarter of them
    // idle.
    maxWorkers: 3,
    // The programs are loaded once for each worker instead of once for each file, which takes a fifth of the whole. No
    // file may leave anything behind in its process.
    isolate: false,
  },
})
