// What has to exist before anybody can link anything: a workspace on the platform, and a key for each door.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { StartError } from '../kit/process/start-error.ts'
import { runCommand } from './child-program.ts'
import { readJson, writePrivate } from './kept-secrets.ts'
import { platformUser } from './platform-user.ts'
import type { Stores } from './stores.ts'

const Bootstrapped = z.object({ apiKey: z.string() })
const CreatedKey = z.object({ key: z.string() })
const FirstData = z.object({
  madeFor: z.string(),
  platformKey: z.string(),
  causewayKey: z.string(),
  costsShownTo: z.string(),
})

export type FirstData = z.infer<typeof FirstData>

type Needs = { folder: string; stores: Stores; onboardingEnvironment: Record<string, string>; onMake: () => void }

/** Made once per set of databases; the keys are shown by the programs only once, so they are kept. */
export async function firstData({ folder, stores, onboardingEnvironment, onMake }: Needs): Promise<FirstData> {
  const file = join(folder, 'first-data.json')
  const kept = FirstData.safeParse(readJson(file))
  const madeFor = identityOf(stores)
  if (kept.success && kept.data.madeFor === madeFor) return kept.data
  onMake()
  const database = { DATABASE_URL: stores.databases.platform }
  const platformKey = read(Bootstrapped, await runCommand('platform', bootstrap, database)).apiKey
  const [onboarding] = await Promise.all([
    runCommand('onboarding', createKey, { ...onboardingEnvironment, PLATFORM_API_KEY: platformKey }),
    runCommand('platform', setPassword, database, platformUser.password),
  ])
  const causewayKey = read(CreatedKey, onboarding).key
  const made = { madeFor, platformKey, causewayKey, costsShownTo: platformUser.email }
  writePrivate(file, made)
  return made
}

/** Which databases something was made for, without saying where they are. */
export const identityOf = ({ identity }: Stores): string =>
  createHash('sha256').update(identity).digest('hex').slice(0, 16)

const createKey = ['keys', 'create', '--name', 'portal']
const bootstrap = ['bootstrap', '--account', 'demo', '--workspace', 'acme', '--email', platformUser.email]
const setPassword = ['set-password', '--email', platformUser.email]

function read<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer)
  if (!parsed.success) throw new StartError('the programs and the demo are of different releases: build again')
  return parsed.data
}
