import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from './stores.ts'

/** Settings that replace the clocks of a process, including those that libraries read. */
export function clockOff(ms: number): Record<string, string> {
  const file = join(temporaryFolder(), 'clock.mjs')
  writeFileSync(
    file,
    `const Real = Date
     globalThis.Date = class Date extends Real {
       constructor(...args) { args.length ? super(...args) : super(Real.now() + ${ms}) }
       static now() { return Real.now() + ${ms} }
     }`,
  )
  return { NODE_OPTIONS: `--import=${pathToFileURL(file)}` }
}
