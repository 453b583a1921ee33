import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { StartError } from '../kit/process/start-error.ts'
import { runCommand } from './child-program.ts'
import { readJson, writePrivate } from './kept-secrets.ts'
import type { Stores } from './stores.ts'

/** This user sees the costs at the platform. The password is public: it opens nothing beyond this machine. */
export const platformUser = { email: 'admin@acme.example', password: 'platform-admin' }

const FirstData = z.object({
  madeFor: z.string(),
  platformKey: z.string(),
  causewayKey: z.string().optional(),
  /** The portal calls functions as the user. Calls with Causeway's key are health checks. */
  portalKey: z.string().optional(),
  testKey: z.string().optional(),
  costsShownTo: z.string().optional(),
})

type FirstData = z.infer<typeof FirstData>
export type Keys = { causewayKey: string; portalKey: string; testKey: string }

type Environment = Record<string, string>
type Needs = { folder: string; stores: Stores; onboardingEnvironment: Environment; onMake: () => void }

/** Once per set of databases. Keys are shown only once, so each is written to the folder. */
export async function firstData({ folder, stores, onboardingEnvironment, onMake }: Needs) {
  const file = join(folder, 'first-data.json')
  const platform = { DATABASE_URL: stores.databases.platform }
  const madeFor = createHash('sha256').update(stores.identity).digest('hex').slice(0, 16)
  const read = FirstData.safeParse(readJson(file)).data
  let kept = read?.madeFor === madeFor ? read : undefined
  if (!kept) {
    onMake()
    kept = { madeFor, platformKey: readAs(PlatformKey, await runCommand('platform', bootstrap, platform)).apiKey }
    writePrivate(file, kept)
  }
  const first = kept
  const onboarding = { ...onboardingEnvironment, PLATFORM_API_KEY: first.platformKey }
  return {
    platformKey: first.platformKey,
    async keys(): Promise<Keys> {
      const keys = await makeKeys(first, platform, onboarding)
      writePrivate(file, { ...first, ...keys, costsShownTo: platformUser.email })
      return keys
    },
  }
}

async function makeKeys(kept: FirstData, platform: Environment, onboarding: Environment): Promise<Keys> {
  const [causewayKey, testKey, portalKey] = await Promise.all([
    kept.causewayKey ?? makeKey(createKey, onboarding),
    kept.testKey ?? makeKey(createTestKey, onboarding),
    kept.portalKey ?? makePortalKey(platform),
    kept.costsShownTo ?? runCommand('platform', setPassword, platform, platformUser.password),
  ])
  return { causewayKey, testKey, portalKey }
}

const PlatformKey = z.object({ apiKey: z.string() })
const ServiceAccount = z.object({ clientId: z.string() })
const CreatedKey = z.object({ key: z.string() })

const makeKey = async (command: string[], onboarding: Environment): Promise<string> =>
  readAs(CreatedKey, await runCommand('onboarding', command, onboarding)).key

async function makePortalKey(platform: Environment): Promise<string> {
  const { clientId } = readAs(ServiceAccount, await runCommand('platform', createServiceAccount, platform))
  const createPlatformKey = ['create-key', '--service-account', clientId, '--name', 'portal']
  return readAs(PlatformKey, await runCommand('platform', createPlatformKey, platform)).apiKey
}

const createKey = ['keys', 'create', '--name', 'portal']
const createTestKey = ['keys', 'create', '--name', 'ten-minute-start', '--test']
const bootstrap = ['bootstrap', '--account', 'demo', '--workspace', 'acme', '--email', platformUser.email]
const createServiceAccount = ['create-service-account', '--workspace', 'acme', '--name', 'Acme']
const setPassword = ['set-password', '--email', platformUser.email]

function readAs<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer)
  if (!parsed.success) throw new StartError('the programs and the demo are of different releases: build again')
  return parsed.data
}
