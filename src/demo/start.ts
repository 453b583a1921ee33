import { readFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installedRoot } from '../kit/installed/installed-root.ts'
import { ignoreError } from '../kit/process/ignore-error.ts'
import { describeError } from '../kit/process/log.ts'
import { makeFolder } from '../kit/process/make-folder.ts'
import { StartError } from '../kit/process/start-error.ts'
import { type Addresses, chooseAddresses } from './addresses.ts'
import { type ChildProgram, type ProgramName, startProgram } from './child-program.ts'
import type { Config } from './config.ts'
import type { FileboxOptions } from './filebox/filebox.ts'
import { firstData, type Keys } from './first-data.ts'
import type { Places } from './greeting.ts'
import { fileboxIntegrations, readFurtherIntegrations } from './integrations-file.ts'
import { jsonApi } from './json-api.ts'
import { keptSecrets, type Secrets, writePrivate } from './kept-secrets.ts'
import type { Lifetime } from './lifetime.ts'
import type { PortalOptions } from './portal/portal.ts'
import type { Sample } from './sample/sample.ts'
import { clientSettingsIn, writeClientSettings, writeOperatorSettings } from './settings-files.ts'
import { type Stores, startStores } from './stores.ts'
import { consoleClientId, registerConsole } from './support-people.ts'

type Demo = {
  places: Places
  /** Makes the history of `--sample`. Undefined if the demo has no sample or its history is complete. */
  fillSample: (() => Promise<void>) | undefined
  /** Settles when a program ends early, with a line that names the program. */
  broken: Promise<string>
}

type World = {
  config: Config
  at: Addresses
  secrets: Secrets
  stores: Stores
  lifetime: Lifetime
  logs: string
  sample: Sample | undefined
}

const fileboxClientId = 'causeway-demo'

const startingWithoutRedis =
  'Starting PostgreSQL, without Redis: sessions and links in progress are kept in memory and lost at the end. For demos only …'

export async function startDemo(config: Config, lifetime: Lifetime, say: (line: string) => void): Promise<Demo> {
  const { folder } = config
  const logs = join(folder, 'logs')
  makeFolders(folder, logs)
  const programs = await loadPrograms(config, lifetime, logs)
  const parts = loadParts()
  const secrets = keptSecrets(folder)
  const at = await chooseAddresses(config.ports)
  say(config.withoutRedis ? startingWithoutRedis : 'Starting PostgreSQL and Redis …')
  const stores = await startStores(config, lifetime)
  const { startSample } = await parts.sample
  const world: World = {
    config,
    at,
    secrets,
    stores,
    lifetime,
    logs,
    sample: await startSample(config, stores, lifetime),
  }
  const icons = writeIntegrations(world) // not before: starting the stores fails if another demo uses this folder
  const onboardingEnvironment = onboardingSettings(world)
  const onMake = () => say('Creating the first workspace and keys …')
  const first = await lifetime.keep(() => firstData({ folder, stores, onboardingEnvironment, onMake }))
  say('Starting the platform, Causeway, Filebox and Acme …')
  const settings = {
    onboarding: { ...onboardingEnvironment, PLATFORM_API_KEY: first.platformKey },
    platform: platformSettings(world),
  }
  const making = lifetime.keep(() => first.keys())
  await Promise.all([
    begin(programs.platform, settings.platform, lifetime),
    begin(programs.onboarding, settings.onboarding, lifetime),
    filebox(world, parts),
    making.then((keys) => portal(world, parts, keys, icons)),
    supportConsole(world),
  ])
  const keys = await making
  writeClientSettings(folder, at.onboarding.url, keys)
  writeOperatorSettings(folder, settings)
  await registerTenant(at, keys)
  await untilReady(at.onboarding.url)
  return {
    places: placesOf(at, logs, folder),
    fillSample: sampleFiller(world, { ...keys, platformKey: first.platformKey }),
    broken: Promise.race([programs.platform.ended, programs.onboarding.ended]),
  }
}

function sampleFiller({ at, sample, lifetime }: World, keys: Keys & { platformKey: string }) {
  if (!sample || sample.isComplete) return undefined
  const access = { causeway: at.onboarding.url, platform: at.platform.url, ...keys }
  return () => lifetime.keep(() => sample.fill(access))
}

/** At every start: the portal's port, and with it the return URL, may have changed. */
async function registerTenant({ onboarding, portal }: Addresses, { causewayKey }: Keys): Promise<void> {
  const call = jsonApi(`${onboarding.url}/api/v1`, causewayKey)
  const returnUrls = [`${portal.url}/integrations/return`]
  const details = { workspace: 'acme', displayName: 'Acme', returnUrls }
  const { branding, logos } = (await call('PUT', '/tenants/acme', details)) as { branding?: object; logos?: object }
  if (branding || logos) return
  await call('PATCH', '/tenants/acme', { branding: { accentColor: '#a33d15' } })
  const { default: sharp } = await import('sharp')
  const mark = readFileSync(join(installedRoot, 'public/demo/acme.svg'), 'utf8')
  const brighter = mark.replace('#a33d15', '#f5a27c').replaceAll(/#fff\b|#ffc9a8/g, '#361303')
  for (const [scheme, svg] of Object.entries({ light: mark, dark: brighter })) {
    const png = await sharp(Buffer.from(svg), { density: 180 }).png().toBuffer()
    await call('PUT', `/tenants/acme/logos/${scheme}`, { image: png.toString('base64') })
  }
}

/** Ready includes the stores and the platform. */
async function untilReady(causeway: string, timeoutMs = 15_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
    const answer = await fetch(`${causeway}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new StartError('Causeway started but does not become ready')
}

function makeFolders(folder: string, logs: string): void {
  try {
    makeFolder(folder) // open to the account that PostgreSQL may have to run as
    makeFolder(logs, 0o700)
  } catch (error) {
    throw new StartError(`DEMO_DATA_DIR: cannot create the folder ${folder} (${(error as NodeJS.ErrnoException).code})`)
  }
}

function writeIntegrations({ config: { folder, integrationsFile }, at, secrets, sample }: World) {
  const filebox = { url: at.filebox.url, clientId: fileboxClientId, clientSecret: secrets.fileboxClientSecret }
  const { integrations } = fileboxIntegrations(filebox)
  const further = integrationsFile ? readFurtherIntegrations(integrationsFile) : []
  const own = [...integrations, ...(sample?.integrations ?? [])]
  writePrivate(join(folder, 'integrations.json'), { integrations: [...own, ...further] })
  return Object.fromEntries(own.flatMap(({ id, icon }) => (id && icon ? [[id, icon]] : [])))
}

/** Without Redis, agents on the platform keep no threads. */
const platformSettings = ({ config, at, secrets, stores }: World): Record<string, string> => ({
  PORT: String(at.platform.port),
  HOST: at.platform.host,
  PUBLIC_URL: at.platform.url,
  DATABASE_URL: stores.databases.platform,
  ...(stores.redisUrl && { REDIS_URL: stores.redisUrl }),
  ENCRYPTION_KEYS: secrets.platformEncryptionKeys,
  INTEGRATIONS_FILE: join(config.folder, 'integrations.json'),
  SETTINGS_URL: at.onboarding.url,
  SETTINGS_KEY: secrets.settingsKey,
  DATA_FOLDER: join(config.folder, 'platform'),
  // All visitors share one address, and one key makes all calls.
  RATE_KEY_PER_MINUTE: '60000',
  RATE_FAILED_PER_MINUTE: '600',
  LOG_LEVEL: config.logLevel,
})

const onboardingSettings = ({ config, at, secrets, stores, sample }: World): Record<string, string> => ({
  PORT: String(at.onboarding.port),
  HOST: at.onboarding.host,
  PUBLIC_URL: at.onboarding.url,
  DATABASE_URL: stores.databases.onboarding,
  REDIS_URL: stores.redisUrl ?? 'memory:',
  ENCRYPTION_KEYS: secrets.onboardingEncryptionKeys,
  SIGNING_KEY: secrets.onboardingSigningKey,
  PLATFORM_URL: `${at.platform.url}/v0`,
  INTEGRATIONS_FILE: join(config.folder, 'integrations.json'),
  SETTINGS_KEY: secrets.settingsKey,
  EGRESS_ALLOW: listed(new URL(at.filebox.url).host, sample?.providerHost, config.egressAllow),
  WEBHOOK_EGRESS_ALLOW: listed(sample?.receiverHost, config.webhookEgressAllow),
  ...(sample && { SAMPLE_DATA: 'shown' }),
  CONSOLE_CLIENT_ID: consoleClientId,
  CONSOLE_CLIENT_SECRET: secrets.consoleClientSecret,
  CONSOLE_SIGN_INS: '600',
  PLATFORM_CONSOLE_URL: at.platform.url,
  // All visitors share one address.
  RATE_BROWSER_PER_MINUTE: '600',
  LOG_LEVEL: config.logLevel,
})

const listed = (...hosts: Array<string | undefined>): string => hosts.filter(Boolean).join(',')

/** Loading modules takes as long as starting the stores, so both happen at once. */
async function loadPrograms({ folder }: Config, lifetime: Lifetime, logFolder: string) {
  const cacheFolder = join(folder, 'compile-cache')
  const load = (name: ProgramName) =>
    lifetime.keep(
      async () => startProgram({ name, logFolder, cacheFolder }),
      ({ stop }) => stop(),
    )
  return { platform: await load('platform'), onboarding: await load('onboarding') }
}

/** The program uses the stores from here on, so it has to end before them. */
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

async function portal(
  { at, secrets, stores, lifetime, logs }: World,
  parts: Parts,
  keys: Keys,
  icons: Record<string, string>,
) {
  const { startPortal } = await parts.portal
  const options: PortalOptions = {
    ...at.portal,
    publicUrl: at.portal.url,
    redisUrl: stores.redisUrl,
    sessionSecret: secrets.portalSessionSecret,
    causeway: { url: at.onboarding.url, apiKey: keys.causewayKey, tenant: 'acme' },
    platform: { apiKey: keys.portalKey },
    icons,
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

function loadParts() {
  const parts = {
    filebox: import('./filebox/filebox.ts'),
    portal: import('./portal/portal.ts'),
    sample: import('./sample/sample.ts'),
  }
  for (const loading of Object.values(parts)) loading.catch(ignoreError('its awaiter handles it'))
  return parts
}

const errorLog = (logs: string, name: string) => (error: unknown) => {
  const line = `${new Date().toISOString()} ${describeError(error)}\n`
  appendFile(join(logs, `${name}.log`), line, { mode: 0o600 }).catch(ignoreError('no other log to write to'))
}

const placesOf = (at: Addresses, logs: string, folder: string): Places => ({
  portal: at.portal.url,
  causeway: at.onboarding.url,
  platform: at.platform.url,
  filebox: at.filebox.url,
  logs,
  clientSettings: clientSettingsIn(folder),
})
