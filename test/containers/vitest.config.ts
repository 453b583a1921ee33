import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/containers/*.containers.ts'],
    globalSetup: ['test/support/processes/set-up-of-run.ts'],
    // Each file uses the whole machine.
    fileParallelism: false,
    // Every Compose command takes long, and one that starts everything runs a dozen containers.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Each test continues from the state of the previous one.
    bail: 1,
  },
})
