import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/looks/*.looks.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Slow: logs each finished combination.
    reporters: 'verbose',
  },
})
