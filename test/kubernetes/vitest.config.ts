import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/kubernetes/*.kubernetes.ts', 'test/containers/workloads.containers.ts'],
    globalSetup: ['test/support/processes/set-up-of-run.ts'],
    // Each file uses the whole cluster.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
  },
})
