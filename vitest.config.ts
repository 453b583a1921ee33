import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A long file that begins last keeps one worker busy while the others have nothing left. Which files took long is known
 * from the run before, where there was one; otherwise by their folders, in which servers are broken or browsers walk.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(faults|journeys)\//.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  // Packages of this repository are tested as they are written, not as they were last built.
  resolve: { alias: { '@causeway/client': new URL('packages/client/src/client.ts', import.meta.url).pathname } },
  test: {
    globalSetup: ['test/support/processes/stores-of-run.ts', 'test/support/processes/bundled-programs.ts'],
    include: ['test/**/*.test.ts'],
    // Real servers and browsers answer slowly on a busy machine; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 45_000 } },
    pool: 'forks',
    // What a request leaves behind is collected in bulk: the usual room for what is young fills in a few requests.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: LongestFirst },
    // Half of a test's time is spent waiting for a server or a lease: fewer workers leave two cores idle.
    maxWorkers: 4,
    // The programs are loaded once for each worker instead of once for each file, which takes a fifth of the whole. No
    // file may leave anything behind in its process.
    isolate: false,
  },
})
