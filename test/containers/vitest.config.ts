import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/containers/*.containers.ts'],
    // Every command starts Docker's Compose anew, and one that starts everything runs a dozen containers.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Each test goes on where the one before it ended.
    bail: 1,
  },
})
