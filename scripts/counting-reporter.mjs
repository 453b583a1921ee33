import { writeFileSync } from 'node:fs'

/** Writes the number of passed and failed tests to the file in TEST_COUNTS, for the last line of `npm test`. */
export default class CountingReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    // A file that could not be loaded has no tests, but counts as failed.
    const broken = modules.filter((module) => module.errors().length > 0).length
    const count = (/** @type {string} */ state) => states.filter((each) => each === state).length
    const counts = { passed: count('passed'), failed: count('failed') + broken }
    writeFileSync(process.env.TEST_COUNTS ?? '', JSON.stringify(counts))
  }
}
