import { defineConfig } from 'vitest/config'
import common from '../../vitest.config.ts'

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/examples/**/*.examples.ts'],
    testTimeout: 120_000,
    hookTimeout: 600_000,
    maxWorkers: 1,
  },
})
