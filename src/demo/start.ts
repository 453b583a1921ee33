// The demo, wired: which part needs which, and everything that can start at the same time does.
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreError } from '../kit/process/ignore-error.ts'
import { describeError } from '../kit/process/log.ts'
import { makeFolder } from '../kit/process/make-folder.ts'
import { StartError } from '../kit/process/start-error.ts'
import { type Addresses, chooseAddresses } from './addresses.ts'
import { type ChildProgram, type ProgramName, startProgram } from './child-program.ts'
import type { Config } from './config.ts'
import type { FileboxOptions } from './filebox/filebox.ts'
import { type FirstData, firstData } from './first-data.ts'
import type { Places } from './greeting.ts'
import { fileboxIntegrations, readFurtherIntegrations } from './integrations-file.ts'
import { keptSecrets, type Secrets, writePrivate } from './kept-secrets.ts'
import type { Lifetime } from './lifetime.ts'
import type { PortalOptions } from './portal/portal.ts'
import { sampleData } from './sample-data.ts'
import { clientSettingsIn, writeClientSettings, writeOperatorSettings } from './settings-files.ts'
import { type Stores, startStores } from './stores.ts'
import { consoleClientId, registerConsole } from './support-people.ts'
import { registerTenant, untilReady } from './tenant.ts'

export type Demo = {
  places: Places
  /** Settles when a program ended that should have run on, with a line on which. */
  broken: Promise<string>
}

type World = { config: Config; at: Addresses; secrets: Secrets; stores: Stores; lifetime: Lifetime; logs: string }

const fileboxClientId = 'causeway-demo'

const startingWithoutRedis =
  'Starting PostgreSQL, without Redis: sessions and links under way are kept in memory and lost at the end. For a demo alone …'

export async function startDemo(config: Config, lifetime: Lifetime, say: (line: string) => void): Promise<Demo> {
  const logs = join(config.folder, 'logs')
  makeFolders(config.folder, logs)
  const programs = await loadPrograms(config, lifetime, logs)
  const parts = loadParts()
  const secrets = keptSecrets(config.folder)
  const at = await chooseAddresses(config.ports)
  say(config.withoutRedis ? startingWithoutRedis : 'Starting PostgreSQL and Redis …')
  const stores = await startStores(config, lifetime)
  writeIntegrations(config, at, secrets) // not before: the stores know whether another demo uses this folder
  const world = { config, at, secrets, stores, lifetime, logs }
  const sample = sampleData(config, stores)
  const onboardingEnvironment = { ...onboardingSettings(world), ...sample.settings }
  const onMake = () => say('Creating the first workspace and keys …')
  const first = await lifetime.keep(() => firstData({ folder: config.folder, stores, onboardingEnvironment, onMake }))
  say('Starting the platform, Causeway, Filebox and Acme …')
  const settings = {
    onboarding: { ...onboardingEnvironment, PLATFORM_API_KEY: first.platformKey },
    platform: platformSettings(world),
  }
  await Promise.all([
    begin(programs.platform, settings.platform, lifetime),
    begin(programs.onboarding, settings.onboarding, lifetime),
    filebox(world, parts),
    portal(world, parts, first),
    supportConsole(world),
  ])
  writeClientSettings(config.folder, at.onboarding.url, first)
  writeOperatorSettings(config.folder, settings)
  await registerTenant({ causeway: at.onboarding.url, apiKey: first.causewayKey, portal: at.portal.url })
  await untilReady(at.onboarding.url)
  const platform = { url: at.platform.url, apiKey: first.platformKey }
  await sample.add({ platform, onboardingEnvironment, onAdd: () => say('Making up a month of history …') })
  return {
    places: placesOf(at, logs, config.folder),
    broken: Promise.race([programs.platform.ended, programs.onboarding.ended]),
  }
}

function makeFolders(folder: string, logs: string): void {
  try {
    makeFolder(folder) // open to the account that PostgreSQL may have to run as
    makeFolder(logs, 0o700)
  } catch (error) {
    throw new StartError(`DEMO_DATA_DIR: no folder can be made at ${folder} (${(error as NodeJS.ErrnoException).code})`)
  }
}

function writeIntegrations({ folder, integrationsFile }: Config, at: Addresses, secrets: Secrets): void {
  const filebox = { url: at.filebox.url, clientId: fileboxClientId, clientSecret: secrets.fileboxClientSecret }
  const { integrations } = fileboxIntegrations(filebox)
  const further = integrationsFile ? readFurtherIntegrations(integrationsFile) : []
  writePrivate(join(folder, 'integrations.json'), { integrations: [...integrations, ...further] })
}

/** Without Redis the platform runs too; only agents then remember no threads. */
const platformSettings = ({ config, at, secrets, stores }: World): Record<string, string> => ({
  PORT: String(at.platform.port),
  HOST: at.platform.host,
  PUBLIC_URL: at.platform.url,
  DATABASE_URL: stores.databases.platform,
  ...(stores.redisUrl && { REDIS_URL: stores.redisUrl }),
  ENCRYPTION_KEYS: secrets.platformEncryptionKeys,
  INTEGRATIONS_FILE: join(config.folder, 'integrations.json'),
  DATA_FOLDER: join(config.folder, 'platform'),
  // Here every visitor has the same address, and one key does everything.
  RATE_KEY_PER_MINUTE: '60000',
  RATE_FAILED_PER_MINUTE: '600',
  LOG_LEVEL: config.logLevel,
})

const onboardingSettings = ({ config, at, secrets, stores }: World): Record<string, string> => ({
  PORT: String(at.onboarding.port),
  HOST: at.onboarding.host,
  PUBLIC_URL: at.onboarding.url,
  DATABASE_URL: stores.databases.onboarding,
  REDIS_URL: stores.redisUrl ?? 'memory:',
  ENCRYPTION_KEYS: secrets.onboardingEncryptionKeys,
  SIGNING_KEY: secrets.onboardingSigningKey,
  PLATFORM_URL: `${at.platform.url}/v0`,
  INTEGRATIONS_FILE: join(config.folder, 'integrations.json'),
  EGRESS_ALLOW: [new URL(at.filebox.url).host, ...(config.egressAllow ? [config.egressAllow] : [])].join(','),
  ...(config.webhookEgressAllow && { WEBHOOK_EGRESS_ALLOW: config.webhookEgressAllow }),
  CONSOLE_CLIENT_ID: consoleClientId,
  CONSOLE_CLIENT_SECRET: secrets.consoleClientSecret,
  CONSOLE_SIGN_INS: '600',
  PLATFORM_CONSOLE_URL: at.platform.url,
  // Here every visitor has the same address.
  RATE_BROWSER_PER_MINUTE: '600',
  LOG_LEVEL: config.logLevel,
})

/** The other half of what takes long: each in a process of its own, while the stores start. */
async function loadPrograms({ folder }: Config, lifetime: Lifetime, logFolder: string) {
  const cacheFolder = join(folder, 'compile-cache')
  const load = (name: ProgramName) =>
    lifetime.keep(
      async () => startProgram({ name, logFolder, cacheFolder }),
      ({ stop }) => stop(),
    )
  return { platform: await load('platform'), onboarding: await load('onboarding') }
}

/** From here on it uses the stores, so it has to end before them. */
async function begin(program: ChildProgram, settings: Record<string, string>, lifetime: Lifetime): Promise<void> {
  const { ready } = await lifetime.keep(
    async () => ({ ready: program.begin(settings) }),
    () => program.stop(),
  )
  await ready
}

async function filebox({ at, secrets, stores, lifetime, logs }: World, parts: Parts) {
  const { startFilebox } = await parts.filebox
  const options: FileboxOptions = {
    ...at.filebox,
    publicUrl: at.filebox.url,
    databaseUrl: stores.databases.filebox,
    client: {
      id: fileboxClientId,
      secret: secrets.fileboxClientSecret,
      name: 'Acme',
      redirectUris: [`${at.onboarding.url}/oauth/callback/filebox`],
    },
    onError: errorLog(logs, 'filebox'),
  }
  return lifetime.keep(
    () => startFilebox(options),
    ({ close }) => close(),
  )
}

async function portal({ at, secrets, stores, lifetime, logs }: World, parts: Parts, keys: FirstData) {
  const { startPortal } = await parts.portal
  const options: PortalOptions = {
    ...at.portal,
    publicUrl: at.portal.url,
    redisUrl: stores.redisUrl,
    sessionSecret: secrets.portalSessionSecret,
    causeway: { url: at.onboarding.url, apiKey: keys.causewayKey, tenant: 'acme' },
    platform: { apiKey: keys.portalKey },
    onError: errorLog(logs, 'portal'),
  }
  return lifetime.keep(
    () => startPortal(options),
    ({ close }) => close(),
  )
}

const supportConsole = ({ config, at, secrets, stores, lifetime }: World) => {
  const settings = { folder: config.folder, causeway: at.onboarding.url, clientSecret: secrets.consoleClientSecret }
  return lifetime.keep(() => registerConsole({ ...settings, stores }))
}

type Parts = ReturnType<typeof loadParts>

/** Reading and compiling their modules takes longer than starting the stores, so it goes on meanwhile. */
function loadParts() {
  const parts = { filebox: import('./filebox/filebox.ts'), portal: import('./portal/portal.ts') }
  for (const loading of Object.values(parts)) loading.catch(ignoreError('its awaiter handles it'))
  return parts
}

const errorLog = (logs: string, name: string) => (error: unknown) => {
  const line = `${new Date().toISOString()} ${describeError(error)}\n`
  appendFile(join(logs, `${name}.log`), line, { mode: 0o600 }).catch(ignoreError('there is no other log'))
}

const placesOf = (at: Addresses, logs: string, folder: string): Places => ({
  portal: at.portal.url,
  causeway: at.onboarding.url,
  platform: at.platform.url,
  filebox: at.filebox.url,
  logs,
  clientSettings: clientSettingsIn(folder),
})
