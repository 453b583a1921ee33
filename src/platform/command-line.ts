import { parseArgs } from 'node:util'
import type pg from 'pg'
import { z } from 'zod'
import { sealedBox } from '../kit/crypto/sealed-box.ts'
import { assertKeysLoaded } from '../kit/database/encryption-keys.ts'
import { openPool } from '../kit/database/pool.ts'
import { prepareDatabase } from '../kit/database/prepare-database.ts'
import { postgresSealedRows } from '../kit/database/sealed-rows.ts'
import { rewrapAll } from '../kit/process/rotate-encryption.ts'
import { StartError } from '../kit/process/start-error.ts'
import { readDatabase, readEncryptionKeys } from './config.ts'
import { postgresAccountRoles } from './identity/adapters/account-members.ts'
import { postgresApiKeys } from './identity/adapters/api-keys.ts'
import { postgresMembers } from './identity/adapters/members.ts'
import { postgresOAuthClients } from './identity/adapters/oauth-clients.ts'
import { postgresServiceAccounts } from './identity/adapters/service-accounts.ts'
import { postgresSigningKeys } from './identity/adapters/signing-keys.ts'
import { postgresTenancy } from './identity/adapters/tenancy.ts'
import { postgresUsers } from './identity/adapters/users.ts'
import { type Command, commands } from './identity/cli/commands.ts'
import { operator } from './shared/domain/audit.ts'
import { Failure } from './shared/domain/failure.ts'
import { postgresAuditTrail, recordAudit } from './shared/postgres/audit.ts'
import { migrations } from './shared/postgres/migrations.ts'
import { sealedColumns } from './shared/postgres/sealed-columns.ts'

type Surroundings = {
  env: NodeJS.ProcessEnv
  /** Secrets come from standard input: other processes can read a command line. */
  readInput(): Promise<string>
  /** Writes one line of the error output. */
  warn(line: string): void
}

export async function runCommand([name = '', ...args]: string[], surroundings: Surroundings): Promise<unknown> {
  const { env, readInput, warn } = surroundings
  const command: Command | undefined = Object.hasOwn(commands, name)
    ? commands[name as keyof typeof commands]
    : undefined
  if (!command) throw new StartError(['usage:', ...Object.entries(commands).map(([each, it]) => usage(each, it))])
  const options = readOptions(name, command, args)
  const { databaseUrl, pooler } = readDatabase(env)
  const pool = openPool(databaseUrl, { connections: 1, pooler })
  try {
    const migrated = await prepareDatabase(pool, migrations, { waitMs: 30_000, onWait: warn })
    const run = () =>
      command.run(options as never, {
        tenancy: postgresTenancy(pool),
        apiKeys: postgresApiKeys(pool),
        users: postgresUsers(pool),
        members: postgresMembers(pool),
        accountRoles: postgresAccountRoles(pool),
        serviceAccounts: postgresServiceAccounts(pool),
        clients: postgresOAuthClients(pool),
        signingKeys: async () => postgresSigningKeys(pool, (await openVault(pool, env)).box),
        rewrapSealed: async () =>
          rewrapAll(
            postgresSealedRows(pool, { program: 'platform', columns: sealedColumns, ...(await openVault(pool, env)) }),
          ),
        migrated,
        auditTrail: postgresAuditTrail(pool),
        readSecret: async () => (await readInput()).replace(/\r?\n$/, ''),
        now: () => new Date(),
      })
    return await (command.reads ? run() : written(pool, command, [name, ...args], run))
  } finally {
    await pool.end()
  }
}

/** In one transaction: the pool has one connection. Commands that run in steps are recorded first. */
async function written(pool: pg.Pool, { names, inSteps }: Command, line: string[], run: () => Promise<unknown>) {
  const record = (words: string[]) => recordAudit(pool, operator, 'command.run', words.join(' '))
  if (inSteps) {
    await record(line)
    return run()
  }
  await pool.query('begin')
  const answer = await run()
  await record(names ? [...line, JSON.stringify(answer)] : line)
  await pool.query('commit')
  return answer
}

async function openVault(pool: pg.Pool, env: NodeJS.ProcessEnv) {
  const keyring = readEncryptionKeys(env)
  const box = sealedBox(keyring)
  await assertKeysLoaded(pool, keyring, box)
  return { box, primaryKey: keyring.primary }
}

function usage(name: string, { options }: Command): string {
  const flags = Object.keys(options.shape).map((option) => ` --${option} …`)
  return `  platform ${name}${flags.join('')}`
}

function readOptions(name: string, command: Command, args: string[]): unknown {
  const known = Object.entries(command.options.shape).map(([option, schema]) => [
    option,
    { type: 'string' as const, multiple: schema instanceof z.ZodDefault && Array.isArray(schema.def.defaultValue) },
  ])
  const parsed = command.options.safeParse(parseOptions(args, Object.fromEntries(known)))
  if (parsed.success) return parsed.data
  const mistakes = parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`)
  throw new StartError([...mistakes, `usage:${usage(name, command)}`])
}

function parseOptions(args: string[], options: Record<string, { type: 'string'; multiple: boolean }>): unknown {
  try {
    return { ...parseArgs({ args, options }).values }
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : 'the arguments could not be parsed')
  }
}

export function complaintsOf(error: unknown): string[] {
  if (error instanceof StartError) return [error.lines].flat()
  if (error instanceof Failure) return [error.detail]
  if (error instanceof z.ZodError) return error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`)
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
}
