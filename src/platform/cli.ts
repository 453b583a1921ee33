// Commands for operators: each prints one line of JSON and ends.
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { ResourceName } from '../contract/resource.ts'
import { awaitDatabase, openDatabase } from '../kit/database/database.ts'
import { migrate } from '../kit/database/migrations.ts'
import { StartError } from '../kit/start-error.ts'
import { readDatabaseUrl } from './config.ts'
import { postgresApiKeys } from './identity/adapters/api-keys.ts'
import { postgresTenancy } from './identity/adapters/tenancy.ts'
import { bootstrap } from './identity/flows/bootstrap.ts'
import { Failure } from './shared/domain/failure.ts'
import { migrations } from './shared/postgres/migrations.ts'

const usage = 'usage: platform bootstrap --account NAME --workspace NAME --email ADDRESS [--key-name NAME]'

const Bootstrap = z.object({
  account: ResourceName,
  workspace: ResourceName,
  email: z.email(),
  'key-name': z.string().min(1).max(63).default('bootstrap'),
})

try {
  process.stdout.write(`${JSON.stringify(await run(process.argv.slice(2)))}\n`)
} catch (error) {
  for (const line of explain(error)) process.stderr.write(`platform: ${line}\n`)
  process.exitCode = 1
}

async function run(argv: string[]): Promise<unknown> {
  const { positionals, values } = readArguments(argv)
  if (positionals[0] !== 'bootstrap') throw new StartError(usage)
  const { account, workspace, email, 'key-name': keyName } = readOptions(values)
  const { pool, close } = openDatabase<unknown>(readDatabaseUrl(process.env), { connections: 1 })
  try {
    await awaitDatabase(pool, 10_000)
    await migrate(pool, migrations)
    const start = bootstrap({ tenancy: postgresTenancy(pool), apiKeys: postgresApiKeys(pool) })
    const { accountId, apiKey } = await start({ account, workspace, email, keyName })
    return { accountId, workspace, apiKey: apiKey.reveal() }
  } finally {
    await close()
  }
}

function readArguments(argv: string[]) {
  try {
    const options = Object.fromEntries(Object.keys(Bootstrap.shape).map((name) => [name, { type: 'string' as const }]))
    return parseArgs({ args: argv, options, allowPositionals: true })
  } catch (error) {
    throw new StartError([error instanceof Error ? error.message : usage, usage])
  }
}

function readOptions(values: unknown) {
  const parsed = Bootstrap.safeParse(values)
  if (parsed.success) return parsed.data
  throw new StartError([...parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`), usage])
}

function explain(error: unknown): string[] {
  if (error instanceof StartError) return [error.lines].flat()
  if (error instanceof Failure) return [error.detail]
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
}
