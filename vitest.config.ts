import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/support/stores.ts'],
    include: ['test/**/*.test.ts'],
    // Real servers and browsers answer slowly on a busy machine; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most of a test's time is spent waiting for a server: by default Vitest leaves one core idle.
    maxWorkers: 2,
  },
})
