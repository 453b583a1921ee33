import { join } from 'node:path'
import type { ProgramName } from './child-program.ts'
import type { Keys } from './first-data.ts'
import { writePrivateText } from './kept-secrets.ts'

export const clientSettingsIn = (folder: string) => join(folder, 'causeway.env')

/** For apps built against the demo: docs/guides/ten-minute-start.md. */
export function writeClientSettings(folder: string, url: string, { testKey }: Pick<Keys, 'testKey'>): void {
  writePrivateText(clientSettingsIn(folder), `CAUSEWAY_URL=${url}\nCAUSEWAY_API_KEY=${testKey}\n`)
}

/** scripts/program.mjs runs commands with these settings. Written at every start because ports may change. */
export function writeOperatorSettings(folder: string, settings: Record<ProgramName, Record<string, string>>): void {
  for (const [program, values] of Object.entries(settings)) {
    // Quoted: a # in a path would begin a comment.
    const lines = Object.entries(values).map(([name, value]) => `${name}="${value}"\n`)
    writePrivateText(join(folder, `${program}.env`), lines.join(''))
  }
}
