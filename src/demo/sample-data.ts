// `npm start -- --sample`: a month of history that was made up, so that every page of the console has something to show.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { StartError } from '../kit/process/start-error.ts'
import { runCommand } from './child-program.ts'
import type { Config } from './config.ts'
import { readJson, writePrivate } from './kept-secrets.ts'
import type { Stores } from './stores.ts'

const Kept = z.object({ madeFor: z.string() })

type Adding = {
  platform: { url: string; apiKey: string }
  onboardingEnvironment: Record<string, string>
  onAdd: () => void
}

/** Once it is there it stays until `npm run reset`, and the pages go on saying so. */
export function sampleData(
  { folder, withSample }: Pick<Config, 'folder' | 'withSample'>,
  { identity, databases }: Stores,
) {
  const file = join(folder, 'sample.json')
  const madeFor = createHash('sha256').update(identity).digest('hex').slice(0, 16)
  const isThere = Kept.safeParse(readJson(file)).data?.madeFor === madeFor
  return {
    settings: withSample || isThere ? { SAMPLE_DATA: 'shown' } : {},
    async add({ platform, onboardingEnvironment, onAdd }: Adding): Promise<void> {
      if (!withSample || isThere) return
      onAdd()
      for (const workspace of sampleWorkspaces) await createWorkspace(platform, workspace)
      await runCommand('onboarding', ['sample'], { ...onboardingEnvironment, PLATFORM_API_KEY: platform.apiKey })
      await runCommand('platform', ['sample'], { DATABASE_URL: databases.platform })
      writePrivate(file, { madeFor })
    },
  }
}

/** As the tenants of the sample are called: the platform has to know them, or the console warns of each. */
const sampleWorkspaces = ['books', 'clinic', 'freight', 'school', 'studio', 'travel'].map((name) => `sample-${name}`)

async function createWorkspace({ url, apiKey }: Adding['platform'], name: string): Promise<void> {
  const answer = await fetch(`${url}/v0/workspaces`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, displayName: `${name} (sample)` }),
  })
  if (answer.ok || answer.status === 409) return
  throw new StartError(`the platform refused the workspace ${name} (${answer.status}): npm run reset begins anew`)
}
