import { defineConfig } from 'vitest/config'
import tests from '../../vitest.config.ts'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    globalSetup: tests.test?.globalSetup ?? [],
    include: ['test/soak/*.soak.ts'],
    hookTimeout: 120_000,
    pool: 'forks',
  },
})
