// What the commands for operators do, whoever calls them: keys create|list|revoke|rotate-encryption, import, export, find,
// doctor, catalogue check, sample and migrate. See `cli.ts` for the program.

import { parseArgs } from 'node:util'
import { migrate } from '../kit/database/migrations.ts'
import { awaitDatabase, openPool } from '../kit/database/pool.ts'
import { StartError } from '../kit/process/start-error.ts'
import { migrations } from './adapters/postgres/migrations/migrations.ts'
import { pendingSeconds } from './adapters/redis/keys.ts'
import { exportToFile } from './cli/export.ts'
import { findLink } from './cli/find.ts'
import { importFile } from './cli/import.ts'
import { type KeyOptions, keyCommands } from './cli/keys.ts'
import { addSample } from './cli/sample.ts'
import { openCatalogueCheck, openWorld, type World } from './compose.ts'
import { type Config, readConfig, readDatabaseUrl } from './config.ts'
import { doctorFlows } from './doctor/flows/doctor-flows.ts'
import type { Actor } from './domain/audit/audit.ts'
import { needsLook } from './domain/catalogue/catalogue-check.ts'
import { adviceIn, type DoctorFinding, doctorChecks, whoseMoveIn } from './domain/doctor/finding.ts'
import { Failure } from './domain/failure.ts'
import { joinFlows } from './flows.ts'
import { shippedProviders } from './integrations/catalogue.ts'

const usage = [
  'usage: causeway keys create --name NAME [--tenant ID] [--test] [--expires-in-days DAYS]',
  '       causeway keys list',
  '       causeway keys revoke ID',
  '       causeway keys rotate-encryption',
  '       causeway import FILE --tenant ID [--name NAME] [--dry-run] [--skip-malformed] [--report FILE]',
  '       causeway export --tenant ID --out FILE [--grants-for JWK-FILE]',
  '       causeway find LINK-ID',
  '       causeway catalogue check [ID]',
  '       causeway doctor [INTEGRATION] [--tenant ID] [--offline]',
  '       causeway sample',
  '       causeway migrate',
]

const operator: Actor = { kind: 'operator' }

/** What a command is given beside its words. `print` takes what is one line of its answer. */
export type Surroundings = { env: NodeJS.ProcessEnv; print(value: object): void }

type CommandOptions = KeyOptions & {
  offline?: boolean | undefined
  'dry-run'?: boolean | undefined
  'skip-malformed'?: boolean | undefined
  report?: string | undefined
  out?: string | undefined
  'grants-for'?: string | undefined
}

type CommandWorld = { world: World; config: Config; print: Surroundings['print'] }

function keyCommand(verb: string) {
  const command = keyCommands[verb]
  if (!command) return undefined
  return async ({ world, print }: CommandWorld, given: KeyOptions): Promise<void> => {
    const printed = await command(world, given, print).catch((error) => Promise.reject(asStartError(error)))
    if (printed === 'usage') throw new StartError(usage)
  }
}

/** Each finding is a line; what is wrong ends the command with 1, so that a build can ask. */
async function doctor({ world, print }: CommandWorld, { id, tenant, offline }: CommandOptions): Promise<void> {
  if (tenant && !id) throw new StartError(usage)
  const { examineDeployment, examineIntegration, examineOnRequest } = doctorFlows(world)
  const ids = id ? [id] : world.integrations.configured().map((each) => each.id)
  let failed = 0
  const tell = (about: object, findings: readonly DoctorFinding[]) => {
    for (const finding of findings) {
      const { layer } = doctorChecks[finding.check]
      const { remedy: _, ...said } = finding
      print({ ...about, layer, ...said, whoseMove: whoseMoveIn(finding), advice: adviceIn(finding) })
      if (finding.verdict === 'wrong') failed++
    }
  }
  if (!offline) tell({}, await examineDeployment())
  for (const integration of ids) {
    const about = { integration, tenant }
    const examined = offline
      ? examineIntegration({ ...about, network: false })
      : examineOnRequest({ ...about, actor: operator })
    const { findings } = await examined.catch((error) => Promise.reject(asStartError(error)))
    tell(about, findings)
  }
  if (failed > 0) throw new StartError(failed === 1 ? 'one check is wrong' : `${failed} checks are wrong`)
}

async function importGrants(
  { world, config, print }: CommandWorld,
  { id: file, tenant, name, report, ...given }: CommandOptions,
) {
  if (!file || !tenant) throw new StartError(usage)
  const flows = joinFlows(world, { ...config, authorizationSeconds: pendingSeconds })
  const { 'dry-run': dryRun = false, 'skip-malformed': skipMalformed = false } = given
  const optional = { ...(name && { name }), ...(report && { report }) }
  await importFile(flows, { file, tenant, dryRun, skipMalformed, ...optional }, print)
}

async function exportEverything({ world, config, print }: CommandWorld, { tenant, out, ...given }: CommandOptions) {
  if (!tenant || !out) throw new StartError(usage)
  const flows = joinFlows(world, { ...config, authorizationSeconds: pendingSeconds })
  const grantsFor = given['grants-for']
  const { publicUrl } = config
  await exportToFile(flows, { tenant, out, publicUrl, ...(grantsFor && { grantsFor }) }, print)
}

async function find({ world, config, print }: CommandWorld, { id }: CommandOptions) {
  if (!id) throw new StartError(usage)
  print(await findLink(world, id, config))
}

/** For a demo: pages, charts and campaigns have something to show. */
async function sample({ world, config, print }: CommandWorld) {
  const flows = joinFlows(world, { ...config, authorizationSeconds: pendingSeconds })
  print({ tenants: await addSample({ world, flows, config }) })
}

const asStartError = (error: unknown): unknown => (error instanceof Failure ? new StartError(error.detail) : error)

const options = {
  name: { type: 'string' },
  tenant: { type: 'string' },
  offline: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'skip-malformed': { type: 'boolean' },
  report: { type: 'string' },
  out: { type: 'string' },
  'grants-for': { type: 'string' },
  test: { type: 'boolean' },
  'expires-in-days': { type: 'string' },
} as const

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options })
  } catch {
    throw new StartError(usage)
  }
}

/** Needs nothing but DATABASE_URL: the role that owns the tables is not the one that the program runs as. */
async function migrateAsOwner({ env, print }: Surroundings): Promise<void> {
  const pool = openPool(readDatabaseUrl(env), { connections: 1 })
  try {
    await awaitDatabase(pool, 30_000)
    print({ applied: await migrate(pool, migrations) })
  } finally {
    await pool.end()
  }
}

/** Needs the internet, and neither a ledger nor settings: it says something about the files of this release. */
async function checkFiles(id: string | undefined, print: Surroundings['print']): Promise<void> {
  const providers = shippedProviders().filter(({ about }) => id === undefined || about.id === id)
  if (providers.length === 0) throw new StartError(`there is no provider ${id} in the catalogue`)
  const { check, close } = openCatalogueCheck()
  const broken: string[] = []
  try {
    for await (const finding of check(providers)) {
      print(finding)
      if (needsLook(finding)) broken.push(finding.id)
    }
  } finally {
    await close()
  }
  if (broken.length > 0) throw new StartError(`to be looked at: ${broken.join(', ')}`)
}

/** Ends when the command is done; a StartError has the lines for whoever gave it. */
export async function runCommandLine(words: string[], surroundings: Surroundings): Promise<void> {
  const { values, positionals } = readArguments(words)
  const [area, verb = '', third] = positionals
  const { env, print } = surroundings
  if (area === 'migrate') return migrateAsOwner(surroundings)
  if (area === 'catalogue' && verb === 'check') return checkFiles(third, print)
  const command =
    area === 'keys'
      ? keyCommand(verb)
      : { doctor, import: importGrants, export: exportEverything, find, sample }[area ?? '']
  const id = area === 'keys' ? third : verb || undefined
  if (!command) throw new StartError(usage)
  const config = { ...readConfig(env), logLevel: 'warn' as const }
  const world = openWorld(config)
  try {
    await world.prepareLedger()
    // The doctor counts in Redis how often an app is asked; a slow one has to be waited for.
    if (area === 'doctor' && !values.offline) await world.prepareCache()
    await command({ world, config, print }, { id, ...values })
  } finally {
    await world.close()
  }
}
