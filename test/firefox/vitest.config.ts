import { defineConfig } from 'vitest/config'
import common from '../../vitest.config.ts'

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/firefox/**/*.firefox.ts'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
})
