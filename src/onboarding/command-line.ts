// The commands for operators: keys create|list|revoke|rotate-encryption, integrations, import, export, find, doctor,
// audit verify|heads, catalogue check and migrate. See `cli.ts` for the program.

import { parseArgs } from 'node:util'
import { openPool } from '../kit/database/pool.ts'
import { prepareDatabase } from '../kit/database/prepare-database.ts'
import { createLog } from '../kit/process/log.ts'
import { StartError } from '../kit/process/start-error.ts'
import { migrations } from './adapters/postgres/migrations/migrations.ts'
import { printHeads, verifyAudit } from './cli/audit.ts'
import { exportToFile } from './cli/export.ts'
import { importFile } from './cli/import.ts'
import { integrationCommand, type SettingsOptions } from './cli/integrations.ts'
import { type KeyOptions, keyCommands, operator } from './cli/keys.ts'
import { depsOf, openCatalogueCheck, openWorld, type World } from './compose.ts'
import { type Config, readConfig, readDatabaseUrl } from './config.ts'
import { examineDeployment } from './doctor/flows/examine-deployment.ts'
import { examineIntegration, examineOnRequest } from './doctor/flows/examine-integration.ts'
import { needsLook } from './domain/catalogue/catalogue-check.ts'
import { adviceIn, type DoctorFinding, doctorChecks, whoseMoveIn } from './domain/doctor/finding.ts'
import { outageWords } from './domain/doctor/outage.ts'
import { Failure } from './domain/failure.ts'
import { onboardingEvents } from './domain/reports/log-events.ts'
import { linkPlaces } from './domain/trace/link-places.ts'
import { shippedProviders } from './integrations/catalogue.ts'

const usage = [
  'usage: causeway keys create --name NAME [--tenant ID] [--test] [--expires-in-days DAYS]',
  '       causeway keys create --name NAME --for settings [--expires-in-days DAYS]',
  '       causeway keys list',
  '       causeway keys revoke ID',
  '       causeway keys rotate-encryption',
  '       causeway integrations list',
  '       causeway integrations get|history ID',
  '       causeway integrations put ID FILE [--if-version N] [--break-connections] [--reason TEXT]',
  '       causeway integrations remove ID [--if-version N] [--break-connections] [--reason TEXT]',
  '       causeway integrations rollback ID VERSION [--if-version N] [--break-connections] [--reason TEXT]',
  '       causeway import FILE --tenant ID [--name NAME] [--dry-run] [--skip-malformed] [--report FILE]',
  '       causeway export --tenant ID --out FILE [--grants-for JWK-FILE]',
  '       causeway find LINK-ID',
  '       causeway catalogue check [ID]',
  '       causeway doctor [INTEGRATION] [--tenant ID] [--offline]',
  '       causeway audit verify [--tenant ID] [--heads FILE]',
  '       causeway audit heads',
  '       causeway migrate',
]

/** `print` writes one line of output, `warn` one of the error output. */
type Surroundings = { env: NodeJS.ProcessEnv; print(value: object): void; warn(line: string): void }

type CommandOptions = KeyOptions &
  SettingsOptions & {
    offline?: boolean | undefined
    'dry-run'?: boolean | undefined
    'skip-malformed'?: boolean | undefined
    report?: string | undefined
    out?: string | undefined
    'grants-for'?: string | undefined
    heads?: string | undefined
  }

type CommandWorld = { world: World; config: Config; print: Surroundings['print'] }

function keyCommand(verb: string) {
  const command = keyCommands[verb]
  if (!command) return undefined
  return async ({ world, print }: CommandWorld, given: KeyOptions): Promise<void> => {
    const printed = await command(world, given, print)
    if (printed === 'usage') throw new StartError(usage)
  }
}

function settingsCommand(verb: string, id: string | undefined, third: string | undefined) {
  return async ({ world, config, print }: CommandWorld, { id: _, ...given }: CommandOptions): Promise<void> => {
    const { settings } = depsOf(world, config)
    const printed = await integrationCommand(world, settings, { ...given, verb, id, third }, print)
    if (printed === 'usage') throw new StartError(usage)
  }
}

/** Prints one finding per line, for CI: exits with 1 if a check is wrong, and with 2 if this machine has no internet. */
async function doctor({ world, print }: CommandWorld, { id, tenant, offline }: CommandOptions): Promise<void> {
  if (tenant && !id) throw new StartError(usage)
  const ids = id ? [id] : world.integrations.configured().map((each) => each.id)
  let failed = 0
  let cutOff = false
  const report = (about: object, findings: readonly DoctorFinding[]) => {
    for (const finding of findings) {
      const { layer } = doctorChecks[finding.check]
      const { remedy: _, ...said } = finding
      print({ ...about, layer, ...said, whoseMove: whoseMoveIn(finding), advice: adviceIn(finding) })
      if (finding.verdict === 'wrong') failed++
      if (finding.check === 'internet') cutOff = true
    }
  }
  if (!offline) report({}, await examineDeployment(world))
  for (const integration of ids) {
    const about = { integration, tenant }
    const { findings } = offline
      ? await examineIntegration(world, { ...about, network: false })
      : await examineOnRequest(world, { ...about, actor: operator })
    report(about, findings)
  }
  if (failed > 0) throw new StartError(failed === 1 ? 'one check is wrong' : `${failed} checks are wrong`)
  if (cutOff) throw new StartError('this machine has no internet access: no app was asked', 2)
}

async function importGrants(
  { world, config, print }: CommandWorld,
  { id: file, tenant, name, report, ...given }: CommandOptions,
) {
  if (!file || !tenant) throw new StartError(usage)
  const { 'dry-run': dryRun = false, 'skip-malformed': skipMalformed = false } = given
  const optional = { ...(name && { name }), ...(report && { report }) }
  await importFile(depsOf(world, config), { file, tenant, dryRun, skipMalformed, ...optional }, print)
}

async function exportEverything({ world, config, print }: CommandWorld, { tenant, out, ...given }: CommandOptions) {
  if (!tenant || !out) throw new StartError(usage)
  await exportToFile(depsOf(world, config), { tenant, out, grantsFor: given['grants-for'] }, print)
}

async function find({ world, config, print }: CommandWorld, { id }: CommandOptions) {
  if (!id) throw new StartError(usage)
  print(await findLink(world, id, config))
}

async function audit({ world, print }: CommandWorld, { id: verb, tenant, heads }: CommandOptions) {
  if (verb === 'verify') return verifyAudit(world, { tenant, heads }, print)
  if (verb === 'heads') return printHeads(world, print)
  throw new StartError(usage)
}

function throwStartError(error: unknown): never {
  throw error instanceof Failure ? new StartError(error.detail) : error
}

const options = {
  name: { type: 'string' },
  tenant: { type: 'string' },
  offline: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'skip-malformed': { type: 'boolean' },
  report: { type: 'string' },
  out: { type: 'string' },
  'grants-for': { type: 'string' },
  heads: { type: 'string' },
  test: { type: 'boolean' },
  for: { type: 'string' },
  'if-version': { type: 'string' },
  'break-connections': { type: 'boolean' },
  reason: { type: 'string' },
  'expires-in-days': { type: 'string' },
} as const

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options })
  } catch {
    throw new StartError(usage)
  }
}

/** Only needs DATABASE_URL: the owner of the tables is not the role of the program. */
async function migrateAsOwner({ env, print, warn }: Surroundings): Promise<void> {
  const pool = openPool(readDatabaseUrl(env), { connections: 1 })
  try {
    print({ applied: await prepareDatabase(pool, migrations, { waitMs: 30_000, onWait: warn }) })
  } finally {
    await pool.end()
  }
}

/** Only needs the internet: it checks the files of this release. Exits with 2 if this machine has no internet. */
async function checkFiles(id: string | undefined, print: Surroundings['print']): Promise<void> {
  const providers = shippedProviders().filter(({ about }) => id === undefined || about.id === id)
  if (providers.length === 0) throw new StartError(`no provider ${id} is in the catalogue`)
  const { check, close } = openCatalogueCheck()
  const broken: string[] = []
  try {
    for await (const finding of check(providers)) {
      if ('outage' in finding) throw new StartError(`${outageWords[finding.outage]}. No address was checked.`, 2)
      print(finding)
      if (needsLook(finding)) broken.push(finding.id)
    }
  } finally {
    await close()
  }
  if (broken.length > 0) throw new StartError(`providers with problems: ${broken.join(', ')}`)
}

/** Throws a StartError with the lines to print. */
export async function runCommandLine(words: string[], surroundings: Surroundings): Promise<void> {
  const { values, positionals } = readArguments(words)
  const [area, verb = '', third, fourth] = positionals
  const { env, print } = surroundings
  if (area === 'migrate') return migrateAsOwner(surroundings)
  if (area === 'catalogue' && verb === 'check') return checkFiles(third, print)
  const command =
    area === 'keys'
      ? keyCommand(verb)
      : area === 'integrations'
        ? settingsCommand(verb, third, fourth)
        : { doctor, audit, import: importGrants, export: exportEverything, find }[area ?? '']
  const id = area === 'keys' ? third : verb || undefined
  if (!command) throw new StartError(usage)
  const config = readConfig(env)
  const world = openWorld(config, createLog('onboarding', 'warn', onboardingEvents, 'stderr'))
  try {
    await world.prepareLedger()
    await world.followSettings()
    // Redis counts how often an app is probed.
    if (area === 'doctor' && !values.offline) await world.prepareCache()
    await command({ world, config, print }, { id, ...values }).catch(throwStartError)
  } finally {
    await world.close()
  }
}

/** The output names no user, so it may be pasted into a ticket. */
async function findLink(
  { links, support }: Pick<World, 'links' | 'support'>,
  id: string,
  { viewers, publicUrl }: Pick<Config, 'viewers' | 'publicUrl'>,
) {
  const link = await links.find(id)
  if (!link) throw new StartError(`no link has the ID ${id}`)
  const { page, logs, trace = null, whyNoTrace } = linkPlaces(link, viewers, publicUrl)
  const { state, cause, attempts, tenant, integration, connectionId } = link
  const calls = (await support.outsideCalls([id])).get(id) ?? []
  const places = { page, logs, trace, whyNoTrace }
  return { id, tenant, integration, connectionId, state, cause, attempts, ...places, calls }
}
