// What has to exist before anybody can link anything: a workspace on the platform, and a key for each program.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { StartError } from '../kit/process/start-error.ts'
import { runCommand } from './child-program.ts'
import { readJson, writePrivate } from './kept-secrets.ts'
import type { Stores } from './stores.ts'

/** Who sees at the platform what the demo costs. Everybody may know the password: it opens nothing beyond this machine. */
export const platformUser = { email: 'admin@acme.example', password: 'platform-admin' }

const Bootstrapped = z.object({ apiKey: z.string() })
const CreatedKey = z.object({ key: z.string() })
const FirstData = z.object({
  madeFor: z.string(),
  platformKey: z.string(),
  causewayKey: z.string(),
  /** For developers who build against this demo. A folder of an earlier release has none yet. */
  testKey: z.string().optional(),
  costsShownTo: z.string(),
})

export type FirstData = z.infer<typeof FirstData> & { testKey: string }

type Needs = { folder: string; stores: Stores; onboardingEnvironment: Record<string, string>; onMake: () => void }

/** Made once per set of databases; the keys are shown by the programs only once, so they are kept. */
export async function firstData({ folder, stores, onboardingEnvironment, onMake }: Needs): Promise<FirstData> {
  const file = join(folder, 'first-data.json')
  const kept = FirstData.safeParse(readJson(file))
  const madeFor = createHash('sha256').update(stores.identity).digest('hex').slice(0, 16)
  const keep = (data: FirstData) => {
    writePrivate(file, data)
    return data
  }
  const makeTestKey = async (platformKey: string) => {
    const settings = { ...onboardingEnvironment, PLATFORM_API_KEY: platformKey }
    return read(CreatedKey, await runCommand('onboarding', createTestKey, settings)).key
  }
  if (kept.success && kept.data.madeFor === madeFor) {
    const { testKey } = kept.data
    return testKey
      ? { ...kept.data, testKey }
      : keep({ ...kept.data, testKey: await makeTestKey(kept.data.platformKey) })
  }
  onMake()
  const database = { DATABASE_URL: stores.databases.platform }
  const platformKey = read(Bootstrapped, await runCommand('platform', bootstrap, database)).apiKey
  const [onboarding, testKey] = await Promise.all([
    runCommand('onboarding', createKey, { ...onboardingEnvironment, PLATFORM_API_KEY: platformKey }),
    makeTestKey(platformKey),
    runCommand('platform', setPassword, database, platformUser.password),
  ])
  const causewayKey = read(CreatedKey, onboarding).key
  return keep({ madeFor, platformKey, causewayKey, testKey, costsShownTo: platformUser.email })
}

const createKey = ['keys', 'create', '--name', 'portal']
const createTestKey = ['keys', 'create', '--name', 'ten-minute-start', '--test']
const bootstrap = ['bootstrap', '--account', 'demo', '--workspace', 'acme', '--email', platformUser.email]
const setPassword = ['set-password', '--email', platformUser.email]

function read<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer)
  if (!parsed.success) throw new StartError('the programs and the demo are of different releases: build again')
  return parsed.data
}
