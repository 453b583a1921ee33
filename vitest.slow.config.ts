import { defineConfig } from 'vitest/config'
import tests from './vitest.config.ts'

/** `npm run test:slow`: faults, journeys, packed packages and the programs of the documentation. */
export default defineConfig({ ...tests, test: { ...tests.test, include: ['test/**/*.slow.test.ts'] } })
