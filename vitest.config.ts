import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { asBuilt, builtFiles } from './test/support/processes/as-built.ts'
import { seldomOptimized } from './test/support/processes/seldom-optimized.ts'

/**
 * Longest first: a long file that begins last keeps one worker busy while the others have nothing left. Which files took
 * long is known from the run before, where there was one, and from those that ask for more time than others. Files in
 * which servers are broken or browsers walk wait for most of their time, so they are spread among the others: all of them
 * at once would leave the processor idle.
 */
class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const known = await super.sort(files)
    const sorted = [...known.filter(asksForTime), ...known.filter((file) => !asksForTime(file))]
    const isWaiting = ({ moduleId }: TestSpecification) => /\/test\/(faults|journeys)\//.test(moduleId)
    const waiting = sorted.filter(isWaiting)
    const busy = sorted.filter((file) => !isWaiting(file))
    // They take longer each, so the last of them begins while there is still something to do beside it.
    const places = [...placed(waiting, 0.7), ...placed(busy, 1)]
    return places.sort((one, other) => one.place - other.place).map(({ file }) => file)
  }
}

const asksForTime = ({ moduleId }: TestSpecification) =>
  /[tT]imeout: [1-9]\d\d_000/.test(readFileSync(moduleId, 'utf8'))

/** Evenly over the first part of the run. */
const placed = (files: TestSpecification[], part: number) =>
  files.map((file, at) => ({ file, place: (at / files.length) * part }))

export default defineConfig({
  // Packages of this repository are tested as they are written, not as they were last built.
  resolve: { alias: { '@causeway/client': new URL('packages/client/src/client.ts', import.meta.url).pathname } },
  plugins: await asBuilt(),
  test: {
    server: { deps: { external: builtFiles } },
    globalSetup: ['test/support/processes/set-up-of-run.ts'],
    include: ['test/**/*.test.ts'],
    // Real servers and browsers answer slowly on a busy machine; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 45_000 } },
    pool: 'forks',
    // What a request leaves behind is collected in bulk: the usual room for what is young fills in a few requests.
    execArgv: ['--max-semi-space-size=64', ...seldomOptimized],
    sequence: { sequencer: Mixed },
    // Half of a test's time is spent waiting for a server or a lease, so there are more than cores; and each has to warm
    // up what all of them run, which took six of them a sixth more of the processor than three.
    maxWorkers: 4,
    // The programs are loaded once for each worker instead of once for each file, which takes a fifth of the whole. No
    // file may leave anything behind in its process.
    isolate: false,
  },
})
