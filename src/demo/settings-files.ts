// What the demo leaves in its folder for those who work beside it: apps of tenants, and the commands of operators.
import { join } from 'node:path'
import type { ProgramName } from './child-program.ts'
import type { FirstData } from './first-data.ts'
import { writePrivateText } from './kept-secrets.ts'

export const clientSettingsIn = (folder: string) => join(folder, 'causeway.env')

/** What an app that is built against this demo starts with: docs/guides/ten-minute-start.md. */
export function writeClientSettings(folder: string, url: string, { testKey }: Pick<FirstData, 'testKey'>): void {
  writePrivateText(clientSettingsIn(folder), `CAUSEWAY_URL=${url}\nCAUSEWAY_API_KEY=${testKey}\n`)
}

/**
 * With `DEMO_DATA_DIR`, scripts/program.mjs runs a command with the settings of the running program. At every start:
 * ports may be others.
 */
export function writeOperatorSettings(folder: string, settings: Record<ProgramName, Record<string, string>>): void {
  for (const [program, values] of Object.entries(settings)) {
    // In quotes: a # in a path would begin a comment.
    const lines = Object.entries(values).map(([name, value]) => `${name}="${value}"\n`)
    writePrivateText(join(folder, `${program}.env`), lines.join(''))
  }
}
