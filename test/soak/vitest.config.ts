import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    globalSetup: ['test/support/processes/stores.ts'],
    include: ['test/soak/*.soak.ts'],
    hookTimeout: 120_000,
    pool: 'forks',
  },
})
