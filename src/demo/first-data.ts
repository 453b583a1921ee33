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

const PlatformKey = z.object({ apiKey: z.string() })
const ServiceAccount = z.object({ clientId: z.string() })
const CreatedKey = z.object({ key: z.string() })
const FirstData = z.object({
  madeFor: z.string(),
  platformKey: z.string(),
  causewayKey: z.string(),
  /** The portal's own at the platform: what it calls is the user's doing, what Causeway calls are checks. */
  portalKey: z.string().optional(),
  /** For developers who build against this demo. A folder of an earlier release has none yet. */
  testKey: z.string().optional(),
  costsShownTo: z.string(),
})

type StoredData = z.infer<typeof FirstData>
export type FirstData = StoredData & { testKey: string; portalKey: string }

type Needs = { folder: string; stores: Stores; onboardingEnvironment: Record<string, string>; onMake: () => void }

/** Made once per set of databases; the keys are shown by the programs only once, so they are kept. */
export async function firstData({ folder, stores, onboardingEnvironment, onMake }: Needs): Promise<FirstData> {
  const file = join(folder, 'first-data.json')
  const read = FirstData.safeParse(readJson(file))
  const madeFor = createHash('sha256').update(stores.identity).digest('hex').slice(0, 16)
  const platform = { DATABASE_URL: stores.databases.platform }
  const isMade = read.success && read.data.madeFor === madeFor
  if (!isMade) onMake()
  const kept = isMade ? read.data : { madeFor, ...(await makeFirst(platform, onboardingEnvironment)) }
  // At once: the platform is set up once, and shows its key only then.
  if (!isMade) writePrivate(file, kept)
  const { testKey, portalKey } = kept
  if (testKey && portalKey) return { ...kept, testKey, portalKey }
  const onboarding = { ...onboardingEnvironment, PLATFORM_API_KEY: kept.platformKey }
  const data = {
    ...kept,
    testKey: testKey ?? (await makeKey(createTestKey, onboarding)),
    portalKey: portalKey ?? (await makePortalKey(platform)),
  }
  writePrivate(file, data)
  return data
}

type Environment = Record<string, string>

async function makeFirst(platform: Environment, onboarding: Environment): Promise<Omit<StoredData, 'madeFor'>> {
  const platformKey = readAs(PlatformKey, await runCommand('platform', bootstrap, platform)).apiKey
  const [causewayKey] = await Promise.all([
    makeKey(createKey, { ...onboarding, PLATFORM_API_KEY: platformKey }),
    runCommand('platform', setPassword, platform, platformUser.password),
  ])
  return { platformKey, causewayKey, costsShownTo: platformUser.email }
}

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
